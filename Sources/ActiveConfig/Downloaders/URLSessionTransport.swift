package import Foundation

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// HTTP over `URLSession`, limited in size, time and redirection.
package enum URLSessionTransport {
    /// Swift's clocks and Foundation trap at times beyond a few hundred years.
    private static let longestTimeout = Duration.seconds(365 * 24 * 60 * 60)

    /// Sends a request to an http or https URL.
    ///
    /// `maximumSize` limits the body, in bytes; `timeout` is clamped to 0 … a year. Errors name
    /// `reportedURL`.
    ///
    /// - Throws: ``DownloadError``, or `CancellationError` when the task is cancelled.
    package static func data(
        for request: URLRequest, maximumSize: Int, timeout: Duration, reportedURL: URL?,
        sessions: URLSessionPool
    ) async throws -> (Data, HTTPURLResponse) {
        var request = request
        request.timeoutInterval = timeoutInterval(request.timeoutInterval)
        let transfer = Transfer(
            request, maximumSize: maximumSize, reportedURL: reportedURL, sessions: sessions)
        let time = min(max(timeout, .zero), longestTimeout)
        let timer = Task {
            try await Task.sleep(for: time)
            transfer.stop(with: DownloadError(.timedOut, url: reportedURL))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await transfer.run()
        } onCancel: {
            transfer.stop(with: CancellationError())
        }
    }

    /// Clamps the time between two parts of an answer to what Foundation accepts.
    ///
    /// On Linux Foundation traps at NaN and at milliseconds beyond `Int`, and truncates fractions,
    /// so less than a second would become zero.
    private static func timeoutInterval(_ interval: TimeInterval) -> TimeInterval {
        interval.isNaN ? 60 : min(max(interval.rounded(.up), 1), 7 * 24 * 60 * 60)
    }
}

#if canImport(FoundationNetworking)
    /// Forwards a session's callbacks to the delegates of its tasks.
    ///
    /// Foundation on Linux calls a task's delegate for redirects and challenges only, and the
    /// session's delegate for everything else.
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

    /// Runs the session's delegate on the thread that reads the data.
    ///
    /// Foundation on Linux reads ahead of its delegate without limit and buffers in memory; this
    /// queue prevents that.
    final class InlineOperationQueue: OperationQueue, @unchecked Sendable {  // It has no state.
        override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
    }

    extension URLSession {
        /// A session that calls its delegate on the thread that reads the data.
        package static func inline(
            _ configuration: URLSessionConfiguration, delegate: any URLSessionDelegate
        ) -> URLSession {
            OpenSSL.stayUntilExit()
            return URLSession(
                configuration: configuration, delegate: delegate,
                delegateQueue: InlineOperationQueue())
        }
    }
#endif
