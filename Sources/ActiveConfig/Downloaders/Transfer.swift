import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request and its task's delegate: collects the answer, and stops at the limits of size, time
/// and redirection.
///
/// The caller resumes as soon as the outcome is known; the task is cancelled after that.
final class Transfer: NSObject, Sendable {
    private typealias Outcome = Result<(Data, HTTPURLResponse), any Error>

    private struct State {
        var task: URLSessionDataTask?
        var continuation: CheckedContinuation<(Data, HTTPURLResponse), any Error>?
        var outcome: Outcome?
        var response: HTTPURLResponse?
        var body = Data()
        /// The task has ended by itself and must not be cancelled.
        var isComplete = false
        var isCancelled = false
        /// A redirect decision is pending.
        ///
        /// Foundation on Linux terminates the process when a redirect is answered after a cancel,
        /// so the cancel is postponed.
        var isAnsweringRedirect = false
    }

    /// The URL that errors name.
    let reportedURL: URL?

    private let request: URLRequest
    private let sessions: URLSessionPool
    private let maximumSize: Int
    private let state = Locked(State())

    private let queue = TaskQueues.next()

    init(
        _ request: URLRequest, maximumSize: Int, reportedURL: URL?, sessions: URLSessionPool
    ) {
        self.request = request
        self.reportedURL = reportedURL
        self.sessions = sessions
        self.maximumSize = maximumSize
    }

    func run() async throws -> (Data, HTTPURLResponse) {
        try await withCheckedThrowingContinuation { continuation in
            let outcome: Outcome? = state.withLock { state in
                if state.outcome == nil { state.continuation = continuation }
                return state.outcome
            }
            if let outcome { return continuation.resume(with: outcome) }
            queue.async { self.start() }
        }
    }

    /// Resumes the caller with an error unless the transfer has ended, then cancels the task.
    func stop(with error: any Error) {
        end(.failure(error))
        queue.async { self.cancel() }
    }

    /// Runs on ``queue``.
    private func start() {
        guard state.withLock({ $0.outcome == nil }) else { return }
        let task = sessions.take().dataTask(with: request)
        task.delegate = self
        state.withLock { $0.task = task }
        task.resume()
    }

    /// Closes the connection too.
    ///
    /// Runs on ``queue``.
    private func cancel() {
        let task = state.withLock { state -> URLSessionDataTask? in
            guard let task = state.task, !state.isComplete, !state.isAnsweringRedirect,
                !state.isCancelled
            else { return nil }
            state.isCancelled = true
            return task
        }
        task?.cancel()
    }

    /// Resumes the caller; only the first outcome counts.
    private func end(_ outcome: Outcome) {
        let continuation = state.withLock {
            state -> CheckedContinuation<(Data, HTTPURLResponse), any Error>? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            state.body = Data()
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(with: outcome)
    }

    /// Ends the transfer with the part of an error's body that arrives within the time limit.
    private func endSoon(_ response: HTTPURLResponse) {
        if ErrorBody(Data(), of: response).isComplete { end(.success((Data(), response))) }
        let timeout = Int(ErrorBody.timeout.components.seconds)
        // Most tasks end by themselves at once, and the next request reuses the connection.
        queue.asyncAfter(deadline: .now() + .seconds(timeout)) {
            self.end(.success((self.state.withLock { $0.body }, response)))
            self.cancel()
        }
    }

    private func receive(_ data: Data) {
        if let response = state.withLock({ $0.response }), !response.isSuccess {
            return receive(data, ofError: response)
        }
        let excess: HTTPURLResponse?? = state.withLock { state in
            guard state.outcome == nil else { return nil }
            guard data.count <= maximumSize - state.body.count else { return .some(state.response) }
            state.body.append(data)
            return nil
        }
        if let excess { stop(with: tooLarge(excess)) }
    }

    private func receive(_ data: Data, ofError response: HTTPURLResponse) {
        let body = state.withLock { state -> Data? in
            guard state.outcome == nil else { return nil }
            state.body.append(data.prefix(ErrorBody.maximumSize - state.body.count))
            return state.body
        }
        if let body, ErrorBody(body, of: response).isComplete {
            end(.success((body, response)))
        }
    }

    private func redirect(to newRequest: URLRequest, _ answer: (URLRequest?) -> Void) {
        let (isCancelled, isStopped) = state.withLock { state in
            state.isAnsweringRedirect = !state.isCancelled
            return (state.isCancelled, state.outcome != nil)
        }
        #if canImport(FoundationNetworking)
            // Answering the redirect of a cancelled task would trap.
            if isCancelled { return }
        #endif
        if isCancelled || isStopped {
            answer(nil)
        } else if let request = RedirectPolicy(url: request.url).request(following: newRequest) {
            answer(request)
        } else {
            stop(with: DownloadError(.redirectRefused, url: reportedURL))
            answer(nil)
        }
        let isStoppedMeanwhile = state.withLock { state in
            state.isAnsweringRedirect = false
            return state.outcome != nil
        }
        if isStoppedMeanwhile { queue.async { self.cancel() } }
    }

    private func tooLarge(_ response: HTTPURLResponse?) -> DownloadError {
        DownloadError(.bodyTooLarge, status: response?.statusCode, url: reportedURL)
    }
}

extension Transfer: URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse {
            // On Linux informational answers arrive here too; the final one follows.
            guard response.statusCode >= 200 else { return completionHandler(.allow) }
            state.withLock { $0.response = response }
            if !response.isSuccess {
                endSoon(response)
            } else if response.expectedContentLength > Int64(maximumSize) {
                stop(with: tooLarge(response))
            }
        } else {
            stop(with: DownloadError(.notHTTP, url: reportedURL))
        }
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
        let answer = state.withLock { state in
            state.isComplete = true
            state.task = nil
            return state.response.map { (state.body, $0) }
        }
        sessions.giveBack(session)
        if let error {
            return end(.failure(DownloadError(error, after: answer?.1, url: reportedURL)))
        }
        end(answer.map { .success($0) } ?? .failure(DownloadError(.notHTTP, url: reportedURL)))
    }
}

extension HTTPURLResponse {
    fileprivate var isSuccess: Bool { (200...299).contains(statusCode) }
}
