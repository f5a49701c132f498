/// One of the things that are compared: a name, and what measures it once.
public struct Side {
    /// What is measured.
    public let name: String
    /// Measures it once: nanoseconds per operation.
    let measure: () async throws -> Double

    /// Makes a side that measures itself.
    ///
    /// - Parameters:
    ///   - name: What is measured.
    ///   - measure: Measures it once and gives nanoseconds per operation.
    public init(_ name: String, measure: @escaping () async throws -> Double) {
        self.name = name
        self.measure = measure
    }

    /// A side that runs work as often as fits a time, after a first run to warm up and to find how
    /// often that is.
    ///
    /// - Parameters:
    ///   - name: What is measured.
    ///   - duration: The time of a round.
    ///   - batch: How many operations one run of the work is.
    ///   - timer: Runs what it is given and says how long that took, in nanoseconds.
    ///   - work: Does it, and gives a number that depends on all of it, so that nothing can be
    ///     optimized away. It has to be the same each time.
    /// - Returns: The side.
    /// - Throws: what the work throws.
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

    /// A side that runs work once a round, for what waits and depends on what was done before.
    ///
    /// - Parameters:
    ///   - name: What is measured.
    ///   - work: Does it.
    /// - Returns: The side.
    public static func once(_ name: String, _ work: @escaping () throws -> Void) -> Side {
        Side(name) { try Stopwatch.elapsedTime(of: work) }
    }
}

@available(*, unavailable)
extension Side: Sendable {}
