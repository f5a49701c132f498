import Foundation

/// Detects sanitizers, which slow everything down and keep freed memory.
///
/// `Tests/run.sh address thread` sets the variable.
package enum Sanitizer: Sendable {
    package static let isOn = ProcessInfo.processInfo.environment["ACTIVECONFIG_SANITIZER"] != nil
}
