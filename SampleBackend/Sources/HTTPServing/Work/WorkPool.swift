import NIOConcurrencyHelpers

/// Runs work of one kind with limited concurrency; further work waits in order, up to a limit.
///
/// Work that takes longer than a millisecond has a pool with its own threads, because Swift's
/// cooperative pool has only as many threads as the machine has cores, and all other requests need
/// them.
package final class WorkPool: Sendable {
    /// Runs any amount of work concurrently on Swift's cooperative threads.
    package static let unlimited = WorkPool(
        nil, WorkLimits(running: .max, waiting: 0, wait: .zero))

    /// Runs requests that wait for the store, each holding its body.
    static let waits = WorkPool(nil, WorkLimits(running: 512, waiting: 0, wait: .zero))

    /// Maximum concurrent work per thread: one runs while another awaits the store.
    private static let workPerThread = 2

    /// Nil uses Swift's cooperative threads.
    private let threads: WorkThreads?

    private let queue: NIOLockedValueBox<WorkQueue<PooledWork>>

    /// Creates an idle pool.
    ///
    /// - Parameters:
    ///   - threads: The threads that run the work, at most two pieces per thread concurrently;
    ///     pools may share threads.
    ///   - waiting: Maximum amount of waiting work. Each piece holds a request with its body, in
    ///     total at most 32 MiB.
    ///   - wait: Work that has waited longer than this is refused, so old work does not keep out
    ///     new work.
    package convenience init(_ threads: WorkThreads, waiting: Int, wait: Duration) {
        self.init(
            threads,
            WorkLimits(running: Self.workPerThread * threads.count, waiting: waiting, wait: wait))
    }

    private init(_ threads: WorkThreads?, _ limits: WorkLimits) {
        self.threads = threads
        queue = NIOLockedValueBox(WorkQueue(limits: limits))
    }

    /// Starts or queues work; nil when too much work is waiting.
    ///
    /// - Parameters:
    ///   - bytes: Memory that the work holds while it waits.
    ///   - body: The work.
    ///   - refuse: Called instead of the work when it has waited too long.
    /// - Returns: The work, which can be withdrawn while it waits.
    func submit(
        holding bytes: Int, _ body: @escaping @Sendable () async -> Void,
        refuse: @escaping @Sendable () -> Void
    ) -> PooledWork? {
        let work = PooledWork(body, refuse: refuse, pool: self)
        let (late, admission) = queue.withLockedValue { queue in
            let time = ContinuousClock.now
            return (queue.removeLate(at: time), queue.admit(work, holding: bytes, at: time))
        }
        for work in late { work.refuse() }
        switch admission {
        case .run: start(work)
        case .wait: break
        case .refuse: return nil
        }
        return work
    }

    /// Runs work and returns its result; a cancelled task withdraws or cancels it.
    ///
    /// - Throws: A ``RequestError`` with status 503 when too much work is waiting, or the error of
    ///   the work.
    func result<Result: Sendable>(
        of body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let (results, continuation) = AsyncThrowingStream.makeStream(
            of: Result.self, bufferingPolicy: .bufferingOldest(1))
        let work = submit(holding: 0) {
            do {
                continuation.yield(try await body())
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        } refuse: {
            continuation.finish(throwing: RequestError.tooBusy)
        }
        guard let work else { throw RequestError.tooBusy }
        return try await withTaskCancellationHandler {
            for try await result in results { return result }
            throw CancellationError()
        } onCancel: {
            if !work.withdraw() { work.cancel() }
        }
    }

    private func start(_ work: PooledWork) {
        work.start(on: threads) {
            let (late, next) = self.queue.withLockedValue { queue in
                (queue.removeLate(at: .now), queue.finish())
            }
            for work in late { work.refuse() }
            if let next { self.start(next) }
        }
    }

    fileprivate func withdraw(_ work: PooledWork) -> Bool {
        queue.withLockedValue { $0.withdraw(work) }
    }
}

/// One piece of work of a ``WorkPool``.
final class PooledWork: Sendable {
    private let body: @Sendable () async -> Void

    /// Refuses the request that the work would answer.
    let refuse: @Sendable () -> Void

    private let pool: WorkPool

    /// Nil until the work starts.
    private let task = NIOLockedValueBox<Task<Void, Never>?>(nil)

    fileprivate init(
        _ body: @escaping @Sendable () async -> Void, refuse: @escaping @Sendable () -> Void,
        pool: WorkPool
    ) {
        self.body = body
        self.refuse = refuse
        self.pool = pool
    }

    fileprivate func start(on threads: WorkThreads?, atEnd: @escaping @Sendable () -> Void) {
        task.withLockedValue { task in
            task = Task(executorPreference: threads) { [body] in
                await body()
                atEnd()
            }
        }
    }

    /// Removes the work from its pool; returns false when it has started.
    func withdraw() -> Bool { pool.withdraw(self) }

    /// Cancels the task if the work has started.
    func cancel() { task.withLockedValue { $0?.cancel() } }
}
