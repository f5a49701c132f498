/// What keeps a listening closure alive: it hears nothing more once the token is cancelled or gone.
public final class ActiveConfigListenerToken: Sendable {
    private let registration: ListenerRegistration
    private let remove: @Sendable (ListenerRegistration) -> Void

    /// Makes a token of a registration that `remove` takes away.
    init(
        _ registration: ListenerRegistration,
        remove: @escaping @Sendable (ListenerRegistration) -> Void
    ) {
        self.registration = registration
        self.remove = remove
    }

    deinit { cancel() }

    /// Ends the listening.
    ///
    /// On the listener queue nothing is delivered once this has returned.
    public func cancel() {
        registration.cancel()
        remove(registration)
    }
}
