internal import Dispatch

extension DispatchQueue {
    /// A serial queue for calls that may wait: of a store, which locks and synchronizes files.
    ///
    /// Swift's cooperative pool has one thread for each core, and a few such calls would stop every
    /// task of the process. Serial queues have threads beside that pool; a concurrent queue shares
    /// its threads on Linux.
    static func forBlockingCalls() -> DispatchQueue { DispatchQueue(label: "ActiveConfig.store") }

    /// Runs `body` on the queue while the task is suspended.
    func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            async { continuation.resume(returning: body()) }
        }
    }
}
