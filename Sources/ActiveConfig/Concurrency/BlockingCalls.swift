internal import Dispatch

/// Runs blocking calls, such as a store's, off Swift's cooperative threads.
///
/// The cooperative pool has one thread for each core, so a few blocking calls would stop every task
/// of the process. Each serial queue gets a thread of its own; a concurrent queue shares its
/// threads on Linux.
package final class BlockingCalls: Sendable {
    typealias Call = @Sendable () -> Void

    /// Limit of concurrent calls, each on a thread; more wait in order.
    static let maximumRunningCount = 64

    /// Runs its calls one at a time, so it occupies one thread however long a call takes.
    package struct Lane: Hashable, Sendable {
        enum Kind: Sendable { case reads, downloads, writes }

        private let owner: ObjectIdentifier
        private let kind: Kind

        /// - Parameters:
        ///   - owner: Kept by each of the lane's calls.
        ///   - kind: Calls of different kinds do not wait for each other.
        init(of owner: AnyObject, _ kind: Kind) {
            (self.owner, self.kind) = (ObjectIdentifier(owner), kind)
        }
    }

    private struct State {
        var runningCount = 0
        var waiting = FIFOQueue<Call>()
        /// Lanes with a call that runs or waits for a thread, each with the calls queued behind it.
        var lanes: [Lane: FIFOQueue<Call>] = [:]
        #if DEBUG
            var callCount = 0
        #endif
    }

    private let state = Locked(State())

    package init() {}

    #if DEBUG
        /// Number of calls so far, for tests of what a change costs.
        var callCount: Int { state.withLock { $0.callCount } }
    #endif

    /// Runs a call on another thread, behind those of its lane.
    func async(in lane: Lane? = nil, _ call: @escaping Call) {
        let isFirst = state.withLock { state in
            #if DEBUG
                state.callCount += 1
            #endif
            guard let lane else { return true }
            if state.lanes[lane]?.append(call) != nil { return false }
            state.lanes[lane] = FIFOQueue()
            return true
        }
        guard isFirst else { return }
        guard let lane else { return start(call) }
        start { self.run(call, in: lane) }
    }

    /// Runs the first call of a lane, after which the next one waits for a thread.
    private func run(_ call: Call, in lane: Lane) {
        call()
        state.withLock { state in
            guard let next = state.lanes[lane]?.popFirst() else {
                state.lanes[lane] = nil
                return
            }
            state.waiting.append { self.run(next, in: lane) }
        }
    }

    private func start(_ call: @escaping Call) {
        let runsNow = state.withLock { state in
            if state.runningCount == Self.maximumRunningCount {
                state.waiting.append(call)
                return false
            }
            state.runningCount += 1
            return true
        }
        guard runsNow else { return }
        DispatchQueue(label: "ActiveConfig.store").async {
            call()
            while let next = self.next() { next() }
        }
    }

    /// Runs `body` while the task is suspended.
    package func run<Result: Sendable>(
        in lane: Lane? = nil, _ body: @escaping @Sendable () -> Result
    ) async -> Result {
        // The thread sanitizer does not see that `resume` happens before the return; a lock shows it.
        let isDone = Locked(false)
        let result = await withCheckedContinuation { continuation in
            async(in: lane) {
                let result = body()
                isDone.withLock { $0 = true }
                continuation.resume(returning: result)
            }
        }
        isDone.withLock { _ in }
        return result
    }

    /// Runs `body` while the task is suspended, unless the task is cancelled before its turn: then
    /// it is not called.
    ///
    /// - Throws: `CancellationError` when `body` was not called.
    package func runUnlessCancelled<Result: Sendable>(
        in lane: Lane? = nil, _ body: @escaping @Sendable () -> Result
    ) async throws -> Result {
        let turn = Turn<Result>()
        let result = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard turn.wait(continuation) else { return }
                async(in: lane) {
                    guard let continuation = turn.take() else { return }
                    let result = body()
                    turn.end()
                    continuation.resume(returning: result)
                }
            }
        } onCancel: {
            turn.take()?.resume(throwing: CancellationError())
        }
        // As in `run(in:_:)`.
        turn.end()
        return result
    }

    /// A call that waits for its turn: it begins or is cancelled, once.
    private final class Turn<Result: Sendable>: Sendable {
        typealias Continuation = CheckedContinuation<Result, any Error>

        private let state = Locked((waiting: Continuation?.none, isTaken: false))

        /// False when it was cancelled before.
        func wait(_ continuation: Continuation) -> Bool {
            let isTaken = state.withLock { state in
                if !state.isTaken { state.waiting = continuation }
                return state.isTaken
            }
            if isTaken { continuation.resume(throwing: CancellationError()) }
            return !isTaken
        }

        func take() -> Continuation? {
            state.withLock { state in
                defer { state = (nil, true) }
                return state.waiting
            }
        }

        func end() { state.withLock { _ in } }
    }

    /// The next waiting call; nil gives the thread back.
    private func next() -> Call? {
        state.withLock { state in
            let call = state.waiting.popFirst()
            if call == nil { state.runningCount -= 1 }
            return call
        }
    }
}
