import Foundation

/// Repetition counts of tests: fewer rounds in the gate, more at night.
///
/// `./Tests/run.sh nightly` sets `ACTIVECONFIG_NIGHTLY`.
enum Rounds {
    /// True in the nightly run.
    static let areNightly = ProcessInfo.processInfo.environment["ACTIVECONFIG_NIGHTLY"] != nil

    /// Minutes that a test may take: more at night, and under a sanitizer.
    static let minutes = areNightly || isSanitized ? 45 : 2

    private static let isSanitized =
        ProcessInfo.processInfo.environment["ACTIVECONFIG_SANITIZER"] != nil
    private static let seconds =
        ProcessInfo.processInfo.environment["ACTIVECONFIG_NIGHTLY_SECONDS"].flatMap(Double.init)

    static func count(_ gate: Int, nightly: Int) -> Int { areNightly ? nightly : gate }

    /// The numbers of rounds, from 0: as many as ``count(_:nightly:)``, and none that begins after
    /// `ACTIVECONFIG_NIGHTLY_SECONDS`, if that is set.
    static func numbers(
        _ gate: Int, nightly: Int, _ test: String = #function
    ) -> LazyPrefixWhileSequence<Range<Int>> {
        let clock = ContinuousClock()
        let end = seconds.map { clock.now + .seconds($0) }
        return (0..<count(gate, nightly: nightly)).lazy.prefix { round in
            guard let end, clock.now > end else { return true }
            print("\(test): the time is over after \(round) rounds")
            return false
        }
    }

    /// Every n-th number, starting at a random one; all numbers at night.
    static func sample(
        _ numbers: ClosedRange<Int>, oneIn count: Int, _ test: String = #function
    ) -> [Int] {
        if areNightly { return Array(numbers) }
        var generator = SeededGenerator.printingItsSeed(test)
        let first = numbers.lowerBound + Int.random(in: 0..<count, using: &generator)
        return Array(stride(from: first, through: numbers.upperBound, by: count))
    }
}
