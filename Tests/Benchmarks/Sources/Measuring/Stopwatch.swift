#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Times of work, in nanoseconds.
public enum Stopwatch: Sendable {
    /// Processor time of work that does not wait; other load on the machine does not count.
    ///
    /// - Parameter work: Work that stays on the calling thread.
    /// - Returns: The time.
    /// - Throws: The error of the work.
    public static func processorTime(of work: () throws -> Void) rethrows -> Double {
        let start = threadTime()
        try work()
        return threadTime() - start
    }

    /// Elapsed time of work that waits for a disk or for another thread.
    ///
    /// - Parameter work: Work to measure.
    /// - Returns: The time.
    /// - Throws: The error of the work.
    public static func elapsedTime(of work: () throws -> Void) rethrows -> Double {
        try ContinuousClock().measure(work) / .nanoseconds(1)
    }

    /// Processor time of the current thread so far.
    private static func threadTime() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
