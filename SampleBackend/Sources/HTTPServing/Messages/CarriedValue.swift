import NIOConcurrencyHelpers

/// A value that a handler carries from one request of a connection to the next.
///
/// It stays while the connection is idle and counts for no limit: handlers carry small values only.
package final class CarriedValue: Sendable {
    private let content = NIOLockedValueBox<(any Sendable)?>(nil)

    package init() {}

    /// The value of the last request that carried one; nil before.
    package var value: (any Sendable)? {
        get { content.withLockedValue { $0 } }
        set { content.withLockedValue { $0 = newValue } }
    }
}
