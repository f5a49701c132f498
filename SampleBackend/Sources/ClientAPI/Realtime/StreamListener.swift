package import Rendering
package import Targeting

/// A client with an open stream, as previews see it.
package struct StreamListener: Sendable {
    /// nil is the generic user.
    package let userID: String?

    package let signals: Signals

    /// The current basis of the client's document.
    package let basis: DocumentBasis

    init(_ stream: EventStream) {
        userID = stream.request.configuration.userID
        signals = stream.request.configuration.signals
        basis = stream.basis
    }
}
