import NIOCore
import NIOPosix

/// A few threads of low priority for work that takes long, whatever it awaits.
///
/// They are for a whole process, since threads are never ended. A task that is started from one of
/// its tasks, by `Task { … }`, leaves them.
package final class WorkThreads: TaskExecutor {
    let count = max(System.coreCount / 2, 1)

    private let pool: NIOThreadPool

    /// Starts threads: one, or half as many as the machine has cores if that is more.
    ///
    /// The event loops need the other cores.
    package init() {
        pool = NIOThreadPool(numberOfThreads: count)
        pool.start()
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pool.submit { _ in
            ThreadPriority.lower()
            // The pool runs each closure once, as the job must be.
            unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
