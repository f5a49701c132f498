import Foundation
import Testing

/// Detects sanitizers, under which all code is slower and some tests cannot run.
///
/// `Tests/run.sh address thread` sets the variable to `address` and to `thread`.
enum Sanitizer {
    private static let name = ProcessInfo.processInfo.environment["ACTIVECONFIG_SANITIZER"]

    static let isOn = name != nil

    /// True under the thread sanitizer.
    static let isOfThreads = name == "thread"
}

extension Trait where Self == ConditionTrait {
    /// For tests with much work on one thread or in single-threaded processes: skipped under the
    /// thread sanitizer, which would find nothing in them.
    static var onOneThread: Self {
        .disabled(if: Sanitizer.isOfThreads, "the thread sanitizer finds nothing in one thread")
    }
}
