internal import Dispatch

/// One listener's interest in one section.
final class ListenerRegistration: Sendable {
    /// What tells registrations of one section apart.
    enum Key: Hashable {
        /// A listening object; it has at most one registration for a section.
        case listener(ObjectIdentifier)
        /// A closure, by its registration.
        case closure(ObjectIdentifier)
    }

    typealias Body = @Sendable (ActiveConfigSection?) -> Void

    let sectionName: String
    private weak let listener: (any AnyObject & Sendable)?
    private let listenerID: ObjectIdentifier?
    /// The queue that deliveries are put on from the listener queue, if any.
    private let queue: DispatchQueue?
    /// What is called; nil when the listening is over.
    private let body: Locked<Body?>

    /// Registers an object, which is held weakly; `body` must not hold it either.
    init(of listener: any AnyObject & Sendable, sectionName: String, _ body: @escaping Body) {
        self.sectionName = sectionName
        self.listener = listener
        listenerID = ObjectIdentifier(listener)
        queue = nil
        self.body = Locked(body)
    }

    /// Registers a closure, which is kept until it is cancelled.
    ///
    /// From the listener queue it is put on `queue`; nil: it is called there.
    init(sectionName: String, on queue: DispatchQueue? = nil, _ body: @escaping Body) {
        self.sectionName = sectionName
        self.queue = queue
        self.body = Locked(body)
        listener = nil
        listenerID = nil
    }

    var key: Key { listenerID.map { .listener($0) } ?? .closure(ObjectIdentifier(self)) }

    /// Whether this is the registration of an object, not of a dead one whose place in memory the
    /// object has taken.
    ///
    /// The caller holds the object, so no `deinit` runs here.
    func isOf(_ object: AnyObject) -> Bool { listener === object }

    /// Whether the listener does not exist any more.
    ///
    /// This may release the listener for good, and run its `deinit`: never ask while a lock is held.
    var isGone: Bool { listenerID != nil && listener == nil }

    /// Tells the listener, unless it was cancelled.
    func deliver(_ section: ActiveConfigSection?) {
        guard let queue else { return call(section) }
        // What waits there holds the registration, and so no closure that was cancelled.
        queue.async { self.call(section) }
    }

    private func call(_ section: ActiveConfigSection?) { body.withLock { $0 }?(section) }

    /// Stops deliveries, also those already on the queue, and releases the closure.
    func cancel() {
        // What it holds is released behind the lock: a `deinit` may call anything.
        let released = body.withLock { body in
            defer { body = nil }
            return body
        }
        withExtendedLifetime(released) {}
    }
}

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
