import NIOConcurrencyHelpers

/// Runs work of one kind, so much at once; the rest waits in order, up to a limit.
///
/// Work that takes longer than a millisecond has a pool with its own threads: Swift's cooperative
/// threads are as many as the machine has cores, and all other requests need them.
package final class WorkPool: Sendable {
    /// Runs any number at once in Swift's cooperative threads.
    static let unlimited = WorkPool(
        nil, WorkLimits(running: .max, waiting: 0, wait: .zero))

    /// Runs what waits for the store, each with a request and its body.
    static let waits = WorkPool(nil, WorkLimits(running: 512, waiting: 0, wait: .zero))

    /// Maximum work at once for each thread: another one runs while one awaits the store.
    private static let workPerThread = 2

    /// Nil means Swift's cooperative threads.
    private let threads: WorkThreads?

    private let queue: NIOLockedValueBox<WorkQueue<PooledWork>>

    /// Creates a pool that has nothing to do.
    ///
    /// - Parameters:
    ///   - threads: Run the work, twice as much at once as there are threads; other pools may use
    ///     them too.
    ///   - waiting: Maximum work that waits for its turn; each holds a request with its body, all
    ///     together at most 32 MiB.
    ///   - wait: Work that has waited longer than this is refused, so that what was let in does not
    ///     keep out what comes later.
    package convenience init(_ threads: WorkThreads, waiting: Int, wait: Duration) {
        self.init(
            threads,
            WorkLimits(running: Self.workPerThread * threads.count, waiting: waiting, wait: wait))
    }

    private init(_ threads: WorkThreads?, _ limits: WorkLimits) {
        self.threads = threads
        queue = NIOLockedValueBox(WorkQueue(limits: limits))
    }

    /// Starts work, or has it wait for its turn; nil when too much waits.
    ///
    /// - Parameters:
    ///   - bytes: Memory that the work holds while it waits.
    ///   - body: The work.
    ///   - refuse: Called in place of the work when it has waited too long.
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

    /// Answers in place of the work.
    let refuse: @Sendable () -> Void

    private let pool: WorkPool

    /// Nil before the work begins.
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

    /// Removes the work from its pool; false when it has begun.
    func withdraw() -> Bool { pool.withdraw(self) }

    /// Cancels the task of work that has begun.
    func cancel() { task.withLockedValue { $0?.cancel() } }
}
