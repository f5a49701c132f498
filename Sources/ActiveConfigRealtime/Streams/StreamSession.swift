import ActiveConfig
import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A `URLSession` that runs one exchange at a time on one kept-alive connection.
///
/// On Linux a stream on a new connection keeps a core busy: while it connects, libcurl asks for
/// writability events, and Foundation continues to deliver them until the request ends. Once a
/// request has ended, the next one on its connection asks for readability only. Therefore a stream
/// follows a document on that document's connection; no other request uses the session in between.
///
/// The delegate is called on the thread that reads: with a queue between them, Foundation would
/// read ahead without limit, and a queue that blocks it would block all requests of the process.
///
/// Further rules on Linux: a redirect is not answered after a cancel, which terminates the process;
/// and a session is never released, since one that holds an idle TLS connection aborts.
final class StreamSession: NSObject, @unchecked Sendable {  // `session` is set before it is shared.
    private struct State {
        var exchange: StreamExchange?
        var task: URLSessionTask?
        /// True once its user has returned it.
        var isReleased = true
        /// True while it is, or is about to be, in the idle list.
        var isIdle = false
        var isStopping = false
        /// True once the rest of the answer is to be discarded.
        var isDiscarding = false
    }

    /// Idle sessions by pool; kept forever, as pools are.
    private static let idle = Locked<[ObjectIdentifier: [StreamSession]]>([:])

    private let state = Locked(State())
    private let queue = TaskQueues.next()
    private let pool: URLSessionPool
    private var session: URLSession?

    /// A session for one connection; to be released.
    static func take(from pool: URLSessionPool) -> StreamSession {
        let session =
            idle.withLock { $0[ObjectIdentifier(pool)]?.popLast() } ?? StreamSession(pool)
        session.state.withLock { ($0.isReleased, $0.isIdle) = (false, false) }
        return session
    }

    private init(_ pool: URLSessionPool) {
        self.pool = pool
        super.init()
        let configuration = pool.configuration()
        // The stream has to get the document's connection.
        configuration.httpMaximumConnectionsPerHost = 1
        session = makeSession(configuration)
    }

    /// A session with this object as delegate of its tasks, which never waits for Foundation's
    /// queue.
    private func makeSession(_ configuration: URLSessionConfiguration) -> URLSession {
        #if canImport(FoundationNetworking)
            return .inline(configuration, delegate: self)
        #else
            let operations = OperationQueue()
            operations.maxConcurrentOperationCount = 1
            unsafe operations.underlyingQueue = queue  // The queues live for good.
            return URLSession(
                configuration: configuration, delegate: pool.delegate, delegateQueue: operations)
        #endif
    }

    /// Returns the session once its exchange has ended, which this initiates.
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
            guard isFree, !exchange.answer.hasEnded, let session else {
                state.withLock { if $0.exchange === exchange { $0.exchange = nil } }
                return exchange.answer.end(.failure(CancellationError()))
            }
            let task = session.dataTask(with: exchange.request)
            #if !canImport(FoundationNetworking)
                task.delegate = self
            #endif
            state.withLock { $0.task = task }
            task.resume()
        }
    }

    /// Ends an exchange and closes its connection.
    func cancel(_ exchange: StreamExchange, with error: any Error) {
        exchange.answer.end(.failure(error))
        stopLater(exchange)
    }

    /// Cancels an exchange's task asynchronously, as the delegate's thread must not wait for the
    /// cancel.
    private func stopLater(_ exchange: StreamExchange) {
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
        task.cancel()
        // Reading a property waits for the task's own queue, and so until the cancel has taken
        // effect.
        _ = task.priority
        _ = task.priority
    }

    private func giveBackIfUnused() {
        let isUnused = state.withLock { state in
            guard !state.isIdle, state.isReleased, state.exchange == nil, state.task == nil else {
                return false
            }
            state.isIdle = true
            return true
        }
        if isUnused {
            Self.idle.withLock { $0[ObjectIdentifier(pool), default: []].append(self) }
        }
    }

    private var exchange: StreamExchange? { state.withLock { $0.exchange } }
}

extension StreamSession: URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        // On Linux the return value has no effect, and informational answers arrive here too.
        completionHandler(.allow)
        guard let exchange else { return }
        guard let response = response as? HTTPURLResponse else {
            return cancel(exchange, with: DownloadError(.notHTTP, url: exchange.url))
        }
        if response.statusCode >= 200 { exchange.answer.receive(response) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        // On Linux a cancel waits until the socket is empty, so a flood has to be drained quickly:
        // each further piece costs no more than this lock.
        let wanted = state.withLock { $0.isDiscarding ? nil : $0.exchange }
        guard let wanted, !wanted.receive(data) else { return }
        state.withLock { $0.isDiscarding = true }
        stopLater(wanted)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        if let exchange {
            cancel(
                exchange,
                with: DownloadError(
                    .redirectRefused, status: response.statusCode, url: exchange.url))
        }
        #if !canImport(FoundationNetworking)
            completionHandler(nil)
        #endif
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let exchange = state.withLock { state in
            defer {
                (state.exchange, state.task) = (nil, nil)
                (state.isStopping, state.isDiscarding) = (false, false)
            }
            return state.exchange
        }
        exchange?.answer.end(
            error.map { error in
                .failure(
                    DownloadError(
                        error, after: task.response as? HTTPURLResponse, url: exchange?.url))
            } ?? .success(()))
        giveBackIfUnused()
    }
}
