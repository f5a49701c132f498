package import Dispatch

/// Serial queues on which session tasks are started and cancelled.
///
/// On Linux creating, starting and cancelling a task waits for a Foundation queue that all sessions
/// share and that a flooding server keeps busy, so those calls stay off Swift's cooperative
/// threads. Requests and streams share a few queues: with one each, hundreds would block every
/// thread of Dispatch, and Foundation's queue would wait for a thread forever.
package enum TaskQueues {
    private static let queues = (0..<16).map { DispatchQueue(label: "ActiveConfig.tasks.\($0)") }
    private static let cursor = Locked(0)

    package static func next() -> DispatchQueue {
        cursor.withLock { cursor in
            cursor = (cursor + 1) % queues.count
            return queues[cursor]
        }
    }
}
