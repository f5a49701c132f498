import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// HTTP by `URLSession`, bounded in size and time, and kept to the host that was asked.
enum URLSessionTransport {
    /// Sends a request and gives the whole answer.
    ///
    /// Each request has a session of its own, which ends with it: configurations are asked for
    /// seldom, and so nothing of a request that was stopped is left over for the next.
    ///
    /// - Parameters:
    ///   - request: The request, of an http or https URL.
    ///   - maximumSize: The longest body, in bytes.
    ///   - timeout: The longest that it may take.
    /// - Returns: The body, and the head of the answer.
    /// - Throws: ``DownloadError``, or `CancellationError` when the task is cancelled.
    static func data(
        for request: URLRequest, maximumSize: Int, timeout: Duration
    ) async throws -> (Data, HTTPURLResponse) {
        let transfer = Transfer(url: request.url, maximumSize: maximumSize)
        let session = makeSession(delegate: transfer)
        let timer = Task {
            try await Task.sleep(for: timeout)
            transfer.stop(with: DownloadError(.timedOut, url: request.url))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await transfer.run(session, session.dataTask(with: request))
        } onCancel: {
            transfer.stop(with: CancellationError())
        }
    }

    /// A session that keeps nothing.
    private static func makeSession(delegate: Transfer) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        #if canImport(FoundationNetworking)
            let queue = InlineOperationQueue()
        #else
            let queue: OperationQueue? = nil
        #endif
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }
}
