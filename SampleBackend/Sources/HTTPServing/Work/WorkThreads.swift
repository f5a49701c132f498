import NIOCore
import NIOPosix

/// A few low-priority threads for long-running work, including the parts after its suspension
/// points.
///
/// Create them once per process: the threads never end. An unstructured `Task { … }` started from
/// their work does not run on them.
package final class WorkThreads: TaskExecutor {
    let count: Int

    private let pool: NIOThreadPool

    /// Starts half as many threads as the machine has cores, at least one.
    ///
    /// The event loops need the remaining cores.
    package convenience init() { self.init(count: max(System.coreCount / 2, 1)) }

    /// Starts a number of threads.
    package init(count: Int) {
        self.count = count
        pool = NIOThreadPool(numberOfThreads: count)
        pool.start()
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pool.submit { _ in
            ThreadPriority.lower()
            // The pool runs each closure exactly once, as `runSynchronously` requires.
            unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
