internal import Dispatch
internal import Foundation

/// Serializes changes of each user's documents: one turn at a time.
///
/// Users do not wait for each other. A turn calls the store, and therefore holds no lock of the
/// framework. Messages are logged after the turn, as the log may call the framework.
final class UserTurns: Sendable {
    /// Queues in use, with the number of running and waiting turns.
    private let queues = Locked<[UserID: (queue: DispatchQueue, count: Int)]>([:])

    private final class Turn: Sendable {
        let thread = ObjectIdentifier(Thread.current)
        private let isOver = Locked(false)

        /// True for code that runs in the turn, but not in a task started there.
        var isCurrent: Bool {
            thread == ObjectIdentifier(Thread.current) && !isOver.withLock { $0 }
        }

        func end() { isOver.withLock { $0 = true } }
    }

    /// The turn of the running code; tasks started in a turn inherit it.
    @TaskLocal private static var turn: Turn?

    /// True for code called in a turn, such as a store's: it must not wait for a turn, which could
    /// be its own or wait for its own.
    static var isInTurn: Bool { turn?.isCurrent ?? false }

    /// Runs `body` on the calling thread.
    func run<Result>(of userID: UserID, _ body: () throws -> Result) rethrows -> Result {
        let queue = queues.withLock { queues in
            let queue = queues[userID]?.queue ?? DispatchQueue(label: "ActiveConfig.turns")
            queues[userID] = (queue, (queues[userID]?.count ?? 0) + 1)
            return queue
        }
        defer {
            queues.withLock { queues in
                guard let (queue, count) = queues[userID] else { return }
                queues[userID] = count > 1 ? (queue, count - 1) : nil
            }
        }
        return try HeldCalls.holding {
            let turn = Turn()
            defer { turn.end() }
            return try Self.$turn.withValue(turn) { try queue.sync(execute: body) }
        }
    }

    /// The number of a user's running and waiting turns.
    func count(of userID: UserID) -> Int { queues.withLock { $0[userID]?.count ?? 0 } }
}
