import Foundation

/// Whether the tests run under a sanitizer, which makes all slower and some things impossible;
/// `Tests/run.sh sanitizers` says so.
enum Sanitizer {
    /// Whether one is there.
    static let isOn = ProcessInfo.processInfo.environment["ACTIVECONFIG_SANITIZER"] != nil
}
