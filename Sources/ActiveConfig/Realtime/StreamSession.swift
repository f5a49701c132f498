import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A `URLSession` that runs one exchange after the other on one kept-alive connection.
///
/// On Linux a stream on a new connection keeps a core busy: libcurl asks to be told when the socket is
/// writable while it connects, and Foundation goes on telling it until the request ends. Once a
/// request has ended, the next one on its connection only asks for readability. Therefore a stream
/// follows a document on the connection of that, and nothing else uses the session meanwhile.
///
/// Further rules there: a task is cancelled on the session's own queue, as a cancel that races with
/// the end of the task ends the process; a redirect is not answered after a cancel, for the same
/// reason; and a session is never released, since one that holds an idle TLS connection aborts.
final class StreamSession: NSObject, @unchecked Sendable {  // `session` is set before it is shared.
    private struct State {
        var exchange: StreamExchange?
        var task: URLSessionTask?
        /// True once the one who took it wants it no more.
        var isReleased = true
        var isStopping = false
    }

    private static let idle = Locked<[StreamSession]>([])

    /// Sessions that nobody uses; they are kept for good.
    static var idleCount: Int { idle.withLock { $0.count } }

    /// Serial queues of all sessions.
    ///
    /// On Linux creating, starting and cancelling a task waits for a queue of Foundation's that all
    /// sessions share, so those calls stay off Swift's cooperative threads; and with a queue each,
    /// hundreds of sessions could hold every thread of Dispatch.
    private static let queues = (0..<16).map { DispatchQueue(label: "ActiveConfig.stream.\($0)") }
    private static let queueCursor = Locked(0)

    private let state = Locked(State())
    private let queue: DispatchQueue
    private var session: URLSession?

    static func take() -> StreamSession {
        let session = idle.withLock { $0.popLast() } ?? StreamSession()
        session.state.withLock { $0.isReleased = false }
        return session
    }

    private override init() {
        queue = Self.queueCursor.withLock { cursor in
            cursor = (cursor + 1) % Self.queues.count
            return Self.queues[cursor]
        }
        super.init()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        // The stream gets the document's connection.
        configuration.httpMaximumConnectionsPerHost = 1
        session = URLSession(
            configuration: configuration, delegate: self,
            delegateQueue: StreamOperationQueue.make(over: queue))
    }

    /// Gives the session back once its exchange has ended, which it now does.
    func release() {
        queue.async { [self] in
            state.withLock { $0.isReleased = true }
            stop()
            giveBackIfUnused()
        }
    }

    /// Sends a request.
    func start(_ exchange: StreamExchange) {
        queue.async { [self] in
            let isFree = state.withLock { state in
                guard state.exchange == nil, !state.isReleased else { return false }
                state.exchange = exchange
                return true
            }
            guard isFree, !exchange.hasEnded, let session else {
                state.withLock { if $0.exchange === exchange { $0.exchange = nil } }
                return exchange.end(.failure(CancellationError()))
            }
            let task = session.dataTask(with: exchange.request)
            state.withLock { $0.task = task }
            task.resume()
        }
    }

    /// Ends an exchange and closes its connection.
    func cancel(_ exchange: StreamExchange, with error: any Error) {
        exchange.end(.failure(error))
        queue.async { [self] in
            if state.withLock({ $0.exchange === exchange }) { stop() }
        }
    }

    /// Cancels the task.
    ///
    /// Runs on ``queue``.
    private func stop() {
        let task = state.withLock { state -> URLSessionTask? in
            guard let task = state.task, !state.isStopping else { return nil }
            state.isStopping = true
            return task
        }
        guard let task else { return }
        // Else what it waits for would wait for it.
        (session?.delegateQueue as? StreamOperationQueue)?.waits = false
        task.cancel()
        // Reading a property waits for the task's own queue, and so until the cancel has taken effect.
        _ = task.priority
        _ = task.priority
    }

    private func giveBackIfUnused() {
        let isUnused = state.withLock { $0.isReleased && $0.exchange == nil && $0.task == nil }
        guard isUnused else { return }
        Self.idle.withLock { idle in
            if !idle.contains(where: { $0 === self }) { idle.append(self) }
        }
    }

    private var exchange: StreamExchange? { state.withLock { $0.exchange } }
}

extension StreamSession: URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        // On Linux the answer has no effect, and informational answers arrive here too.
        completionHandler(.allow)
        guard let exchange else { return }
        guard let response = response as? HTTPURLResponse else {
            return cancel(exchange, with: DownloadError(.notHTTP, url: exchange.url))
        }
        if response.statusCode >= 200 { exchange.receive(response) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard let exchange else { return }
        if !exchange.receive(data) { stop() }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        exchange?.end(
            .failure(
                DownloadError(.redirectRefused, status: response.statusCode, url: exchange?.url)))
        stop()
        #if !canImport(FoundationNetworking)
            completionHandler(nil)
        #endif
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let exchange = state.withLock { state in
            defer { (state.exchange, state.task, state.isStopping) = (nil, nil, false) }
            return state.exchange
        }
        (session.delegateQueue as? StreamOperationQueue)?.waits = true
        exchange?.end(
            error.map { error in
                .failure(
                    DownloadError(
                        TransferFault.code(of: error, hasHead: task.response != nil),
                        status: (task.response as? HTTPURLResponse)?.statusCode, url: exchange?.url,
                        underlyingError: error))
            } ?? .success(()))
        giveBackIfUnused()
    }
}

/// The queue of a session's delegate, over one of the shared queues.
///
/// Foundation on Linux reads ahead of its delegate without limit, and keeps the rest in memory. This
/// queue makes it wait, a short time for each piece, while too many pieces have not been handled.
/// The wait is bounded, as what handles them may itself wait for the thread that reads.
final class StreamOperationQueue: OperationQueue, @unchecked Sendable {  // Guarded by `condition`.
    #if canImport(FoundationNetworking)
        private static let maximumPendingCount = 64
        private static let longestWait = 0.05
        private let condition = NSCondition()
        private var pendingCount = 0
        private var isWaiting = true
        private var queue: DispatchQueue?

        static func make(over queue: DispatchQueue) -> OperationQueue {
            let operations = StreamOperationQueue()
            operations.maxConcurrentOperationCount = 1
            operations.queue = queue
            return operations
        }

        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            condition.lock()
            if isWaiting, pendingCount >= Self.maximumPendingCount {
                _ = condition.wait(until: Date(timeIntervalSinceNow: Self.longestWait))
            }
            pendingCount += 1
            condition.unlock()
            queue?.async { [self] in
                block()
                condition.lock()
                pendingCount -= 1
                condition.signal()
                condition.unlock()
            }
        }

        /// False while a cancel waits for the thread that reads.
        var waits: Bool {
            get { condition.withLock { isWaiting } }
            set {
                condition.withLock { isWaiting = newValue }
                condition.broadcast()
            }
        }
    #else
        static func make(over queue: DispatchQueue) -> OperationQueue {
            let operations = OperationQueue()
            operations.maxConcurrentOperationCount = 1
            unsafe operations.underlyingQueue = queue  // The queues live for good.
            return operations
        }

        var waits = true
    #endif
}
