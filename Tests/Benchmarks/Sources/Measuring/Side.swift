/// One side of a comparison: a name and its measurement.
public struct Side {
    /// Name of the measured operation.
    public let name: String
    /// Measures once, and returns nanoseconds per operation.
    let measure: () async throws -> Double

    /// Side with a custom measurement.
    ///
    /// - Parameters:
    ///   - name: Name of the measured operation.
    ///   - measure: Measures once, and returns nanoseconds per operation.
    public init(_ name: String, measure: @escaping () async throws -> Double) {
        self.name = name
        self.measure = measure
    }

    /// Side that repeats work for a given time, after runs that warm up and determine the number of
    /// repetitions.
    ///
    /// - Parameters:
    ///   - name: Name of the measured operation.
    ///   - duration: Time of a round.
    ///   - batch: Number of operations in one run of the work.
    ///   - timer: Runs its closure, and returns the elapsed time in nanoseconds.
    ///   - work: Does the work, and returns a number that depends on all of it, so that nothing can
    ///     be optimized away. The number must be the same each time.
    /// - Returns: The side.
    /// - Throws: The error of the work.
    public static func repeating(
        _ name: String, for duration: Duration = .milliseconds(20), batch: Int = 1,
        timer: @escaping (() throws -> Void) throws -> Double = Stopwatch.processorTime,
        _ work: @escaping () throws -> Int
    ) throws -> Side {
        let expected = try work()
        let once = try timer { _ = try work() }
        let runs = max(1, Int(duration / .nanoseconds(1) / max(once, 1)))
        return Side(name) {
            var wrong = 0
            let time = try timer {
                for _ in 0..<runs where try work() != expected { wrong += 1 }
            }
            if wrong > 0 { throw UnequalResults(name: name, runs: runs, wrong: wrong) }
            return time / Double(runs * batch)
        }
    }

    /// Side that runs work once per round, for work that waits or depends on its previous run.
    ///
    /// - Parameters:
    ///   - name: Name of the measured operation.
    ///   - work: Does the work.
    /// - Returns: The side.
    public static func once(_ name: String, _ work: @escaping () throws -> Void) -> Side {
        Side(name) { try Stopwatch.elapsedTime(of: work) }
    }
}

@available(*, unavailable)
extension Side: Sendable {}
