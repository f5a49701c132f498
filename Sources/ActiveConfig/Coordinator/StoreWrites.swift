internal import Dispatch

/// Serializes the writes of each user to the store, so that one of them can decide to be the last.
///
/// Users do not wait for each other.
final class StoreWrites: Sendable {
    /// The queues in use, each with the number of its writes that run or wait.
    private let queues = Locked<[UserID: (queue: DispatchQueue, count: Int)]>([:])

    /// Runs `body` on the calling thread.
    func sync<Result>(of userID: UserID, _ body: () throws -> Result) rethrows -> Result {
        let queue = queues.withLock { queues in
            let queue =
                queues[userID]?.queue ?? DispatchQueue(label: "ActiveConfig.storeWrites")
            queues[userID] = (queue, (queues[userID]?.count ?? 0) + 1)
            return queue
        }
        defer {
            queues.withLock { queues in
                guard let (queue, count) = queues[userID] else { return }
                queues[userID] = count > 1 ? (queue, count - 1) : nil
            }
        }
        return try queue.sync(execute: body)
    }
}
