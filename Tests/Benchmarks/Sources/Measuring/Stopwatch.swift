#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What says how long work takes, in nanoseconds.
public enum Stopwatch: Sendable {
    /// The time that the processor works on it, whatever else the machine does meanwhile: for work
    /// that waits for nothing.
    ///
    /// - Parameter work: The work, which stays on its thread.
    /// - Returns: The time.
    /// - Throws: what the work throws.
    public static func processorTime(of work: () throws -> Void) rethrows -> Double {
        let start = threadTime()
        try work()
        return threadTime() - start
    }

    /// The time until it is done: for work that waits, for a disk or for another thread.
    ///
    /// - Parameter work: The work.
    /// - Returns: The time.
    /// - Throws: what the work throws.
    public static func elapsedTime(of work: () throws -> Void) rethrows -> Double {
        try ContinuousClock().measure(work) / .nanoseconds(1)
    }

    /// The processor time that this thread has had.
    private static func threadTime() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
