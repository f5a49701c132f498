import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request on its way, the delegate of its session: collects the answer, and stops when it is too
/// long, late or elsewhere.
final class Transfer: NSObject, Sendable {
    /// What is asked, what has arrived, and who waits for it.
    private struct State {
        var session: URLSession?
        var continuation: CheckedContinuation<(Data, HTTPURLResponse), any Error>?
        var outcome: Result<(Data, HTTPURLResponse), any Error>?
        var response: HTTPURLResponse?
        var body = Data()
        /// Whether the session waits for the answer to a redirect.
        ///
        /// Foundation on Linux ends the process when the task is cancelled in that moment, so that
        /// is put off.
        var isAnsweringRedirect = false
    }

    private let url: URL?
    private let maximumSize: Int
    private let state = Locked(State())

    /// Makes a transfer that has not started.
    init(url: URL?, maximumSize: Int) {
        self.url = url
        self.maximumSize = maximumSize
    }

    /// Starts the request and waits for the whole answer.
    ///
    /// - Parameters:
    ///   - session: The session of this request alone; it ends with the transfer.
    ///   - task: Its task.
    /// - Returns: The body, and the head of the answer.
    /// - Throws: why it was stopped, or what went wrong.
    func run(
        _ session: URLSession, _ task: URLSessionDataTask
    ) async throws -> (Data, HTTPURLResponse) {
        try await withCheckedThrowingContinuation { continuation in
            let outcome: Result<(Data, HTTPURLResponse), any Error>? = state.withLock { state in
                if state.outcome == nil {
                    state.session = session
                    state.continuation = continuation
                }
                return state.outcome
            }
            if let outcome {
                session.invalidateAndCancel()
                continuation.resume(with: outcome)
            } else {
                task.resume()
            }
        }
    }

    /// Ends the transfer with an error, if it has not ended; who waits goes on at once.
    func stop(with error: any Error) {
        end(.failure(error))
    }

    /// Takes a part of the body.
    private func receive(_ data: Data) {
        let excess: HTTPURLResponse?? = state.withLock { state in
            guard state.body.count + data.count <= maximumSize else {
                state.body = Data()
                return .some(state.response)
            }
            state.body.append(data)
            return nil
        }
        if let excess { stop(with: tooLarge(excess)) }
    }

    /// Answers a redirect: the request goes on at the same host, and not from https to http.
    private func redirect(to request: URLRequest, _ answer: (URLRequest?) -> Void) {
        let isEnded = state.withLock { state in
            state.isAnsweringRedirect = state.outcome == nil
            return state.outcome != nil
        }
        // The task is cancelled already, and must not be answered for.
        if isEnded { return }
        let isAllowed = allowsRedirect(to: request.url)
        if !isAllowed { stop(with: DownloadError(.redirectRefused, url: url)) }
        answer(isAllowed ? request : nil)
        let isEndedMeanwhile = state.withLock { state in
            state.isAnsweringRedirect = false
            return state.outcome != nil
        }
        if isEndedMeanwhile { endSession() }
    }

    private func allowsRedirect(to newURL: URL?) -> Bool {
        guard newURL?.host()?.lowercased() == url?.host()?.lowercased() else { return false }
        switch newURL?.scheme?.lowercased() {
        case "https": return true
        case "http": return url?.scheme?.lowercased() == "http"
        default: return false
        }
    }

    /// Gives the outcome to who waits, the first time, and ends the session.
    private func end(_ outcome: Result<(Data, HTTPURLResponse), any Error>) {
        let (continuation, isLater) = state.withLock {
            state -> (CheckedContinuation<(Data, HTTPURLResponse), any Error>?, Bool) in
            guard state.outcome == nil else { return (nil, true) }
            state.outcome = outcome
            defer { state.continuation = nil }
            return (state.continuation, state.isAnsweringRedirect)
        }
        continuation?.resume(with: outcome)
        if !isLater { endSession() }
    }

    /// Ends the session and with it the connection, elsewhere: Foundation on Linux waits in it for
    /// its own queue.
    private func endSession() {
        let session = state.withLock { state in
            defer { state.session = nil }
            return state.session
        }
        guard let session else { return }
        DispatchQueue.global().async { session.invalidateAndCancel() }
    }

    private func tooLarge(_ response: HTTPURLResponse?) -> DownloadError {
        DownloadError(.bodyTooLarge, status: response?.statusCode, url: url)
    }

    /// The error for what the session says.
    private func downloadError(for error: any Error) -> DownloadError {
        let status = state.withLock { $0.response?.statusCode }
        let code: DownloadError.Code =
            switch (error as? URLError)?.code {
            case .timedOut: .timedOut
            case .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet,
                .dataNotAllowed, .internationalRoamingOff, .secureConnectionFailed:
                .cannotConnect
            case .networkConnectionLost, .badServerResponse, .zeroByteResource: .connectionLost
            // Foundation on Linux has no code for an answer that ends too early.
            case .unknown where status != nil: .connectionLost
            default: .other
            }
        return DownloadError(code, status: status, url: url, underlyingError: error)
    }
}

extension Transfer: URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse {
            state.withLock { $0.response = response }
            if response.expectedContentLength > Int64(maximumSize) {
                stop(with: tooLarge(response))
            }
        } else {
            stop(with: DownloadError(.notHTTP, url: url))
        }
        // What was stopped ends with its session.
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        receive(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        redirect(to: request, completionHandler)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        if let error { return end(.failure(downloadError(for: error))) }
        let answer = state.withLock { state in state.response.map { (state.body, $0) } }
        end(answer.map { .success($0) } ?? .failure(DownloadError(.notHTTP, url: url)))
    }
}
