import ActiveConfig
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request and its answer so far, between the session's queue and the reading task; the session
/// closes the connection of a failed one.
final class StreamExchange: Sendable {
    let request: URLRequest
    /// The URL for errors, which can differ from the request's.
    let url: URL?
    let answer: StreamBuffer<HTTPURLResponse, UInt8>

    init(_ request: URLRequest, maximumSize: Int, reportedURL: URL? = nil) {
        var request = request
        // Restarts with every piece; the effective time limits are enforced elsewhere.
        request.timeoutInterval = 600
        self.request = request
        url = reportedURL ?? request.url
        answer = StreamBuffer(maximumSize: maximumSize)
    }

    /// False when nothing more is wanted.
    func receive(_ data: Data) -> Bool {
        answer.receive(data, size: data.count) { head in
            DownloadError(.bodyTooLarge, status: head?.statusCode, url: url)
        }
    }
}
