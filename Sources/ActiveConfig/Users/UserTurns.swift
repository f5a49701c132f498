internal import Dispatch

/// Passed to code that runs in a user's turn.
///
/// Only ``UserTurns`` creates one; do not store it. It is copyable: Swift 6.3.1 crashes when it optimizes generic code that lends a value which is not.
struct Turn {
    let entry: UserEntry

    fileprivate init(_ entry: UserEntry) { self.entry = entry }
}

/// Serializes changes of each user's documents: one turn at a time.
///
/// Users do not wait for each other. A turn calls the store, and therefore holds no lock of the
/// framework. The log and the observers are called after the turn, as they may call the framework.
/// Where ``ThreadMark/isHeld``, no turn may be taken.
final class UserTurns: Sendable {
    /// Queues in use, with the number of running and waiting turns.
    private let queues = Locked<[UserID: (queue: DispatchQueue, count: Int)]>([:])

    /// Runs `body` on the calling thread.
    func run<Result>(
        of entry: UserEntry, _ body: (Turn) throws -> Result
    ) rethrows -> Result {
        let userID = entry.userID
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
        return try ThreadMark.turn.run { try queue.sync { try body(Turn(entry)) } }
    }

    #if DEBUG
        /// Number of a user's running and waiting turns.
        func count(of userID: UserID) -> Int { queues.withLock { $0[userID]?.count ?? 0 } }
    #endif
}
