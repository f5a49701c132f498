import Foundation
import Testing

/// Detects sanitizers, under which everything is slower and some tests cannot run.
///
/// `Tests/run.sh address thread` sets the variable to `address` and to `thread`.
enum Sanitizer {
    private static let name = ProcessInfo.processInfo.environment["ACTIVECONFIG_SANITIZER"]

    static let isOn = name != nil

    /// True under the sanitizer that finds races between threads.
    static let isOfThreads = name == "thread"
}

extension Trait where Self == ConditionTrait {
    /// Much work on one thread, or in processes of one thread: left out under the thread sanitizer,
    /// which would find nothing in it.
    static var onOneThread: Self {
        .disabled(if: Sanitizer.isOfThreads, "the thread sanitizer would find nothing")
    }
}
