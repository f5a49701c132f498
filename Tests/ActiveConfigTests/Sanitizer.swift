import Foundation

/// Detects sanitizers, under which everything is slower and some tests cannot run.
///
/// `Tests/run.sh sanitizers` sets the variable.
enum Sanitizer {
    static let isOn = ProcessInfo.processInfo.environment["ACTIVECONFIG_SANITIZER"] != nil
}
