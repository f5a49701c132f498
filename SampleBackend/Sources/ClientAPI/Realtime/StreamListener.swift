package import Rendering
package import Targeting

/// A type that is a client that listens, as a preview looks at it.
package struct StreamListener: Sendable {
    /// The user's ID; nil is the generic user.
    package let userID: String?

    /// What the client says about itself.
    package let signals: Signals

    /// What the client's document depends on now.
    package let basis: DocumentBasis

    /// Looks at a stream.
    init(_ stream: EventStream) {
        userID = stream.request.configuration.userID
        signals = stream.request.configuration.signals
        basis = stream.basis
    }
}
