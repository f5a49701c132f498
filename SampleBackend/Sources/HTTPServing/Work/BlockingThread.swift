import Foundation

/// Runs a call that can block for ever, such as a read from a mount that does not respond, on a thread
/// of its own.
///
/// A thread pool has one thread for each processor, often only one in a container: such a call would
/// take it from all others.
package func onBlockingThread<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let result = await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            continuation.resume(returning: Result { () throws(Failure) in try body() })
        }
    }
    return try result.get()
}

/// Runs each step of a task that makes such calls on a thread of its own, at normal priority and without
/// a pool; ``WorkThreads`` are for work that computes.
package final class BlockingExecutor: TaskExecutor {
    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread {
            unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
