/// Response to a command: a line of JSON on standard output.
struct Report: Encodable, Sendable {
    /// Times of the system's monotonic clock in nanoseconds, comparable with Python's
    /// `time.monotonic_ns()`.
    struct Times: Encodable, Sendable {
        /// First time, median, 99th percentile, and last time.
        let first, p50, p99, last: UInt64

        /// Summarizes times in any order; nil if there are none.
        init?(_ times: [UInt64]) {
            let sorted = times.sorted()
            guard let first = sorted.first, let last = sorted.last else { return nil }
            self.first = first
            self.last = last
            p50 = sorted[(sorted.count - 1) * 50 / 100]
            p99 = sorted[(sorted.count - 1) * 99 / 100]
        }
    }

    /// Number of clients that met the awaited condition.
    var reached: Int?

    /// Number of clients that had to meet it.
    var awaited: Int?

    /// Times at which they met it.
    var times: Times?

    /// Number of clients whose streams are open.
    var open: Int?

    /// Number of clients by number of updates since the last mark: those of the named cohorts, and
    /// the others.
    var updatesOfNamed, updatesOfOthers: [Int: Int]?

    /// Number of clients that received a heartbeat since the last mark.
    var heartbeats: Int?

    /// Number of clients by version.
    var versions: [Int: Int]?

    /// Counts since the last mark.
    var counts: Counts?

    /// Reason for not executing the command.
    var error: String?
}
