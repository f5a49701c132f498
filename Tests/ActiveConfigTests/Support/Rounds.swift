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

    static func count(_ gate: Int, nightly: Int) -> Int { areNightly ? nightly : gate }

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
