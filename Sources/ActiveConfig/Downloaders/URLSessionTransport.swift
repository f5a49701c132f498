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
