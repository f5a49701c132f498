import Foundation
import NIOConcurrencyHelpers

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A type that opens a stream of events, and hands over its bytes as they come.
final class StreamConnection: NSObject, URLSessionDataDelegate {
    /// The longest silence, in seconds; a server sends something every 15.
    private static let silence: TimeInterval = 45

    /// The most bytes of a refusal that are read.
    private static let maximumRefusal = 65_536

    /// What the server said in place of a stream.
    private struct Refusal: Sendable {
        /// The status code.
        let status: Int
        /// The body.
        var body = Data()
    }

    private let bytes: AsyncThrowingStream<Data, any Error>.Continuation

    private let refusal = NIOLockedValueBox<Refusal?>(nil)

    private init(_ bytes: AsyncThrowingStream<Data, any Error>.Continuation) {
        self.bytes = bytes
    }

    /// Opens a stream; it is closed when nobody reads it any more.
    ///
    /// - Parameters:
    ///   - url: The stream.
    ///   - fields: The fields of the request.
    /// - Returns: The bytes; it throws a ``CommandFailure`` when the server refuses, and an
    ///   `URLError` when it cannot be reached.
    static func open(_ url: URL, fields: [String: String]) -> AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { continuation in
            let session = URLSession(
                configuration: .ephemeral, delegate: StreamConnection(continuation),
                delegateQueue: nil)
            var request = URLRequest(url: url, timeoutInterval: silence)
            for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
            let task = session.dataTask(with: request)
            continuation.onTermination = { _ in session.invalidateAndCancel() }
            task.resume()
        }
    }

    /// Finds out whether the server refuses.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        if status != 200 { refusal.withLockedValue { $0 = Refusal(status: status) } }
        completionHandler(.allow)
    }

    /// Hands over bytes, or keeps them to say why the server refuses.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isRefused = refusal.withLockedValue { refusal in
            refusal?.body.append(data.prefix(Self.maximumRefusal))
            return refusal != nil
        }
        if !isRefused {
            bytes.yield(data)
        } else if refusal.withLockedValue({ ($0?.body.count ?? 0) > Self.maximumRefusal }) {
            dataTask.cancel()
        }
    }

    /// Ends the stream.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        guard let refusal = refusal.withLockedValue({ $0 }) else {
            bytes.finish(throwing: error)
            return
        }
        let answer = AdministrationAnswer(
            status: refusal.status, entityTag: nil, warnings: [], body: refusal.body)
        bytes.finish(throwing: CommandFailure(answer))
    }
}
