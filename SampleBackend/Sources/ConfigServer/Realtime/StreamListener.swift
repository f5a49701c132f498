import Rendering
import Targeting

/// A type that is a client that listens, as a preview looks at it.
struct StreamListener: Sendable {
    /// The user's ID; nil is the generic user.
    let userID: String?

    /// What the client says about itself.
    let signals: Signals

    /// What the client's document depends on now.
    let basis: DocumentBasis

    /// Looks at a stream.
    init(_ stream: EventStream) {
        userID = stream.request.configuration.userID
        signals = stream.request.configuration.signals
        basis = stream.basis
    }
}
