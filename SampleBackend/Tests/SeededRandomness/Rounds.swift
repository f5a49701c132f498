import Foundation

/// How often a test repeats what it looks at: fewer rounds in the gate, more at night.
///
/// `./Tests/run.sh nightly` sets `ACTIVECONFIG_NIGHTLY`.
package enum Rounds: Sendable {
    /// True in the nightly run.
    package static let areNightly =
        ProcessInfo.processInfo.environment["ACTIVECONFIG_NIGHTLY"] != nil

    /// Minutes that a test may take: more at night, and under a sanitizer.
    package static let minutes = areNightly || isSanitized ? 15 : 2

    private static let isSanitized =
        ProcessInfo.processInfo.environment["ACTIVECONFIG_SANITIZER"] != nil

    package static func count(_ gate: Int, nightly: Int) -> Int { areNightly ? nightly : gate }

    /// One element in so many, from `first` on; at night all.
    package static func sample<Element>(
        _ all: [Element], oneIn count: Int, from first: Int
    ) -> [Element] {
        if areNightly { return all }
        return stride(from: first % count, to: all.count, by: count).map { all[$0] }
    }
}
