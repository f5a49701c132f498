import Foundation

/// Whether the tests run under a sanitizer, which makes all slower, and keeps memory that is let go.
///
/// `Tests/run.sh sanitizers` says so.
package enum Sanitizer: Sendable {
    /// Whether one is there.
    package static let isOn = ProcessInfo.processInfo.environment["ACTIVECONFIG_SANITIZER"] != nil
}
