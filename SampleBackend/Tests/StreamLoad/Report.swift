/// A type that is the answer to a command: a line of JSON on standard output.
struct Report: Encodable, Sendable {
    /// Times are those of the system's monotonic clock, in nanoseconds, as Python's
    /// `time.monotonic_ns()` has them.
    struct Times: Encodable, Sendable {
        /// The first, the median, the 99th percentile and the last.
        let first, p50, p99, last: UInt64

        /// Sums up times.
        ///
        /// - Parameter times: The times in any order, at least one.
        init?(_ times: [UInt64]) {
            let sorted = times.sorted()
            guard let first = sorted.first, let last = sorted.last else { return nil }
            self.first = first
            self.last = last
            p50 = sorted[(sorted.count - 1) * 50 / 100]
            p99 = sorted[(sorted.count - 1) * 99 / 100]
        }
    }

    /// How many clients what was awaited came true for.
    var reached: Int?

    /// For how many it was awaited.
    var awaited: Int?

    /// When it came true for them.
    var times: Times?

    /// The clients whose streams are open.
    var open: Int?

    /// How many clients have had how many updates since the last mark: those of the cohorts that
    /// were named, and the others.
    var updatesOfNamed, updatesOfOthers: [Int: Int]?

    /// The clients that heard a heartbeat since the last mark.
    var heartbeats: Int?

    /// How many clients have which version.
    var versions: [Int: Int]?

    /// What happened since the last mark.
    var counts: Counts?

    /// Why the command was not understood.
    var error: String?
}
