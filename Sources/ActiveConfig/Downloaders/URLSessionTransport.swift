import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A `URLSession` that bounds its answers in size and time and keeps to the host that was asked.
final class URLSessionTransport: Sendable {
    private let session: URLSession
    private let delegate: TransferDelegate

    /// Makes a transport with a session of its own.
    init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        delegate = TransferDelegate()
        #if canImport(FoundationNetworking)
            let queue = InlineOperationQueue()
        #else
            let queue: OperationQueue? = nil
        #endif
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request and gives the whole answer.
    ///
    /// - Parameters:
    ///   - request: The request, of an http or https URL.
    ///   - maximumSize: The longest body, in bytes.
    ///   - timeout: The longest that it may take.
    /// - Returns: The body, and the head of the answer.
    /// - Throws: ``DownloadError``, or `CancellationError` when the task is cancelled.
    func data(
        for request: URLRequest, maximumSize: Int, timeout: Duration
    ) async throws -> (Data, HTTPURLResponse) {
        let task = session.dataTask(with: request)
        let transfer = Transfer(task, url: request.url, maximumSize: maximumSize)
        delegate.add(transfer)
        let timer = Task {
            try await Task.sleep(for: timeout)
            transfer.stop(with: DownloadError(.timedOut, url: request.url))
        }
        defer {
            timer.cancel()
            delegate.remove(transfer)
        }
        return try await withTaskCancellationHandler {
            try await transfer.run()
        } onCancel: {
            transfer.stop(with: CancellationError())
        }
    }
}
