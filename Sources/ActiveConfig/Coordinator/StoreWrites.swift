internal import Dispatch

/// Serializes the writes of each user to the store, so that one of them can decide to be the last.
///
/// Users do not wait for each other. A write may write again, as when the log of a failure forgets the
/// user.
final class StoreWrites: Sendable {
    /// The queues in use, each with the number of its writes that run or wait.
    private let queues = Locked<[UserID: (queue: DispatchQueue, count: Int)]>([:])

    /// Tells which user's queue the calling code runs on.
    private let runningUser = DispatchSpecificKey<UserID>()

    /// Runs `body` on the calling thread.
    func sync<Result>(of userID: UserID, _ body: () throws -> Result) rethrows -> Result {
        if DispatchQueue.getSpecific(key: runningUser) == userID { return try body() }
        let queue = queues.withLock { queues in
            let queue = queues[userID]?.queue ?? makeQueue(of: userID)
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

    /// The number of a user's writes that run or wait.
    func count(of userID: UserID) -> Int { queues.withLock { $0[userID]?.count ?? 0 } }

    private func makeQueue(of userID: UserID) -> DispatchQueue {
        let queue = DispatchQueue(label: "ActiveConfig.storeWrites")
        queue.setSpecific(key: runningUser, value: userID)
        return queue
    }
}
