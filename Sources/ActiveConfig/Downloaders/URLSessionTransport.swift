import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// HTTP by `URLSession`, bounded in size and time, and kept to the host that was asked.
enum URLSessionTransport {
    /// Sessions without a task.
    ///
    /// A session has one task at a time, so that one whose server floods does not hold up the others
    /// of its session. It lives as long as the process: on Linux a session must not be dropped while
    /// it holds an idle connection, nor be invalidated while a task of it ends.
    private static let idleSessions = Locked<[URLSession]>([])

    /// The longest time that can be waited; Swift's clocks and Foundation trap at times beyond a few
    /// hundred years.
    private static let longestTimeout = Duration.seconds(365 * 24 * 60 * 60)

    /// Sends a request and gives the whole answer.
    ///
    /// - Parameters:
    ///   - request: The request, of an http or https URL.
    ///   - maximumSize: The longest body, in bytes.
    ///   - timeout: The longest that it may take, brought into 0 … a year.
    /// - Returns: The body, and the head of the answer.
    /// - Throws: ``DownloadError``, or `CancellationError` when the task is cancelled.
    static func data(
        for request: URLRequest, maximumSize: Int, timeout: Duration
    ) async throws -> (Data, HTTPURLResponse) {
        var request = request
        request.timeoutInterval = timeoutInterval(request.timeoutInterval)
        let transfer = Transfer(request, maximumSize: maximumSize)
        let time = min(max(timeout, .zero), longestTimeout)
        let timer = Task {
            try await Task.sleep(for: time)
            transfer.stop(with: DownloadError(.timedOut, url: transfer.url))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await transfer.run()
        } onCancel: {
            transfer.stop(with: CancellationError())
        }
    }

    /// A session for one task; it is to be given back when that has ended.
    static func takeSession() -> URLSession {
        idleSessions.withLock { $0.popLast() } ?? makeSession()
    }

    /// Takes a session back whose task has ended.
    static func giveBack(_ session: URLSession) {
        idleSessions.withLock { $0.append(session) }
    }

    /// A time between two parts of an answer that Foundation can take.
    ///
    /// On Linux it traps at times that are no number or too great, in milliseconds, for an `Int`, and
    /// cuts off fractions: less than a second is none at all.
    private static func timeoutInterval(_ interval: TimeInterval) -> TimeInterval {
        interval.isNaN ? 60 : min(max(interval.rounded(.up), 1), 7 * 24 * 60 * 60)
    }

    /// A session that keeps nothing.
    private static func makeSession() -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        #if canImport(FoundationNetworking)
            return URLSession(
                configuration: configuration, delegate: TaskDelegateForwarder(),
                delegateQueue: InlineOperationQueue())
        #else
            return URLSession(configuration: configuration)
        #endif
    }
}

#if canImport(FoundationNetworking)
    /// The delegate of a session whose tasks have delegates of their own.
    ///
    /// Foundation on Linux tells a task's delegate of redirects and challenges only, and the session's of
    /// all else.
    final class TaskDelegateForwarder: NSObject, URLSessionDataDelegate, Sendable {
        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            delegate(of: dataTask)?.urlSession(
                session, dataTask: dataTask, didReceive: response,
                completionHandler: completionHandler)
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
        ) {
            delegate(of: dataTask)?.urlSession(session, dataTask: dataTask, didReceive: data)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
        ) {
            delegate(of: task)?.urlSession(session, task: task, didCompleteWithError: error)
        }

        private func delegate(of task: URLSessionTask) -> (any URLSessionDataDelegate)? {
            task.delegate as? any URLSessionDataDelegate
        }
    }

    /// A queue for the delegate of a session that calls it at once, where the data is read.
    ///
    /// Foundation on Linux reads on however far the delegate is behind, and keeps in memory what the
    /// delegate has not seen. With this queue it cannot read ahead.
    final class InlineOperationQueue: OperationQueue, @unchecked Sendable {  // It has no state.
        override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
    }
#endif
