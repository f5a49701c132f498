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
        task.cancel()
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

    /// Whether the request may go on at another URL.
    func allowsRedirect(to newURL: URL?) -> Bool {
        let isSameHost = newURL?.host()?.lowercased() == url?.host()?.lowercased()
        let isDowngrade =
            url?.scheme?.lowercased() == "https" && newURL?.scheme?.lowercased() != "https"
        if isSameHost, !isDowngrade { return true }
        stop(with: DownloadError(.redirectRefused, url: url))
        return false
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

    private func tooLarge(_ response: HTTPURLResponse?) -> DownloadError {
        DownloadError(.bodyTooLarge, status: response?.statusCode, url: url)
    }

    /// The error for what the session says.
    private func downloadError(for error: any Error) -> DownloadError {
        let code: DownloadError.Code =
            switch (error as? URLError)?.code {
            case .timedOut: .timedOut
            case .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet,
                .dataNotAllowed, .internationalRoamingOff, .secureConnectionFailed:
                .cannotConnect
            case .networkConnectionLost, .badServerResponse, .zeroByteResource: .connectionLost
            default: .other
            }
        let status = state.withLock { $0.response?.statusCode }
        return DownloadError(code, status: status, url: url, underlyingError: error)
    }
}
