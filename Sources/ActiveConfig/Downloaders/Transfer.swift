import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request on its way: collects the answer, and stops when it is too long, late or elsewhere.
final class Transfer: Sendable {
    /// What has arrived, and who waits for it.
    private struct State {
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

    /// The session's task.
    let task: URLSessionDataTask
    private let url: URL?
    private let maximumSize: Int
    private let state = Locked(State())

    /// Makes a transfer that has not started.
    init(_ task: URLSessionDataTask, url: URL?, maximumSize: Int) {
        self.task = task
        self.url = url
        self.maximumSize = maximumSize
    }

    /// Starts the request and waits for the whole answer.
    func run() async throws -> (Data, HTTPURLResponse) {
        try await withCheckedThrowingContinuation { continuation in
            let outcome: Result<(Data, HTTPURLResponse), any Error>? = state.withLock { state in
                if state.outcome == nil { state.continuation = continuation }
                return state.outcome
            }
            if let outcome {
                continuation.resume(with: outcome)
            } else {
                task.resume()
            }
        }
    }

    /// Ends the transfer with an error, if it has not ended; who waits goes on at once.
    func stop(with error: any Error) {
        end(.failure(error))
        if !state.withLock({ $0.isAnsweringRedirect }) { cancelTask() }
    }

    /// Takes the head of the answer, and says whether the body is wanted.
    func receive(_ response: URLResponse) -> Bool {
        guard let response = response as? HTTPURLResponse else {
            stop(with: DownloadError(.notHTTP, url: url))
            return false
        }
        if response.expectedContentLength > Int64(maximumSize) {
            stop(with: tooLarge(response))
            return false
        }
        state.withLock { $0.response = response }
        return true
    }

    /// Takes a part of the body.
    func receive(_ data: Data) {
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
    func redirect(to request: URLRequest, _ answer: (URLRequest?) -> Void) {
        let isStopped = state.withLock { state in
            state.isAnsweringRedirect = state.outcome == nil
            return state.outcome != nil
        }
        // The task is cancelled already, and must not be answered for.
        if isStopped { return }
        let isAllowed = allowsRedirect(to: request.url)
        if !isAllowed { end(.failure(DownloadError(.redirectRefused, url: url))) }
        answer(isAllowed ? request : nil)
        let isStoppedMeanwhile = state.withLock { state in
            state.isAnsweringRedirect = false
            return state.outcome != nil
        }
        if isStoppedMeanwhile { cancelTask() }
    }

    private func allowsRedirect(to newURL: URL?) -> Bool {
        guard newURL?.host()?.lowercased() == url?.host()?.lowercased() else { return false }
        switch newURL?.scheme?.lowercased() {
        case "https": return true
        case "http": return url?.scheme?.lowercased() == "http"
        default: return false
        }
    }

    /// Takes the end, which may be an error of the session's.
    func complete(_ error: (any Error)?) {
        if let error {
            return end(.failure(downloadError(for: error)))
        }
        let answer = state.withLock { state in state.response.map { (state.body, $0) } }
        end(answer.map { .success($0) } ?? .failure(DownloadError(.notHTTP, url: url)))
    }

    /// Gives the outcome to who waits, the first time.
    private func end(_ outcome: Result<(Data, HTTPURLResponse), any Error>) {
        let continuation = state.withLock {
            state -> CheckedContinuation<(Data, HTTPURLResponse), any Error>? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(with: outcome)
    }

    /// Cancels the session's task, elsewhere: Foundation on Linux waits in it for its own queue.
    private func cancelTask() {
        DispatchQueue.global().async { [task] in task.cancel() }
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
