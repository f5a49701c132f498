import Foundation

/// Numbers of repetitions in tests: fewer in the gate, more in the nightly run.
///
/// `./Tests/run.sh nightly` sets `ACTIVECONFIG_NIGHTLY`.
package enum Rounds: Sendable {
    /// True in the nightly run.
    package static let areNightly =
        ProcessInfo.processInfo.environment["ACTIVECONFIG_NIGHTLY"] != nil

    /// Time limit of a test in minutes: longer in the nightly run, and with a sanitizer.
    package static let minutes = areNightly || isSanitized ? 15 : 2

    private static let isSanitized =
        ProcessInfo.processInfo.environment["ACTIVECONFIG_SANITIZER"] != nil
    private static let seconds =
        ProcessInfo.processInfo.environment["ACTIVECONFIG_NIGHTLY_SECONDS"].flatMap(Double.init)

    package static func count(_ gate: Int, nightly: Int) -> Int { areNightly ? nightly : gate }

    /// The numbers of rounds, from 0: as many as ``count(_:nightly:)``, and none that begins after
    /// `ACTIVECONFIG_NIGHTLY_SECONDS`, if that is set.
    package static func numbers(
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

    /// Every `count`-th element, starting with `first`; all elements in the nightly run.
    package static func sample<Element>(
        _ all: [Element], oneIn count: Int, from first: Int
    ) -> [Element] {
        if areNightly { return all }
        return stride(from: first % count, to: all.count, by: count).map { all[$0] }
    }
}
