import NIOConcurrencyHelpers

/// A value that a handler keeps from one request of a connection to the next.
///
/// It stays in memory while the connection is idle, and no limit counts it: keep only small values.
package final class CarriedValue: Sendable {
    private let content = NIOLockedValueBox<(any Sendable)?>(nil)

    package init() {}

    /// The last value set; nil at first.
    package var value: (any Sendable)? {
        get { content.withLockedValue { $0 } }
        set { content.withLockedValue { $0 = newValue } }
    }
}
