internal import Dispatch

/// One listener's interest in one section.
final class ListenerRegistration: Sendable {
    /// Identity within one section.
    enum Key: Hashable {
        /// A listening object; it has at most one registration for a section.
        case listener(ObjectIdentifier)
        /// A closure, by its registration.
        case closure(ObjectIdentifier)
    }

    /// Called with the section, nil when there is none, and its configuration.
    typealias Body = @Sendable (ActiveConfigSection?, SnapshotContents) -> Void

    let sectionName: String
    private weak let listener: (any AnyObject & Sendable)?
    private let listenerID: ObjectIdentifier?
    /// Queue that calls the body; nil: the listener queue itself.
    private let queue: DispatchQueue?
    /// True to make the first call even without a section.
    let isCalledWithoutSection: Bool
    /// Nil once cancelled.
    private let body: Locked<Body?>

    /// Holds the object weakly; `body` must do so too.
    init(of listener: any AnyObject & Sendable, sectionName: String, _ body: @escaping Body) {
        self.sectionName = sectionName
        self.listener = listener
        listenerID = ObjectIdentifier(listener)
        queue = nil
        isCalledWithoutSection = false
        self.body = Locked(body)
    }

    /// Keeps the closure until it is cancelled.
    ///
    /// It is called on the listener queue, or on `queue`.
    init(
        sectionName: String, on queue: DispatchQueue? = nil, isCalledWithoutSection: Bool = false,
        _ body: @escaping Body
    ) {
        self.sectionName = sectionName
        self.queue = queue
        self.isCalledWithoutSection = isCalledWithoutSection
        self.body = Locked(body)
        listener = nil
        listenerID = nil
    }

    var key: Key { listenerID.map { .listener($0) } ?? .closure(ObjectIdentifier(self)) }

    /// Distinguishes the object from a dead one at the same address.
    ///
    /// The caller holds the object, so no `deinit` runs here.
    func isOf(_ object: AnyObject) -> Bool { listener === object }

    /// True once the listener has been released.
    ///
    /// Reading it may release the listener for good and run its `deinit`: never read it under a
    /// lock.
    var isGone: Bool { listenerID != nil && listener == nil }

    /// Does nothing once cancelled.
    func deliver(_ section: ActiveConfigSection?, of contents: SnapshotContents) {
        guard let queue else { return call(section, contents) }
        // The queued block holds the registration, not the closure, which `cancel` releases.
        queue.async { self.call(section, contents) }
    }

    func call(_ section: ActiveConfigSection?, _ contents: SnapshotContents) {
        body.withLock { $0 }?(section, contents)
    }

    /// Calls `deliver` with the section as it is, if there is one or the registration wants to know.
    func deliverFirst(
        of contents: SnapshotContents?, _ deliver: (ActiveConfigSection?, SnapshotContents) -> Void
    ) {
        guard let contents else { return }
        let section = contents.sections[sectionName]
        if section != nil || isCalledWithoutSection { deliver(section, contents) }
    }

    /// Stops deliveries, also those already queued, and releases the closure.
    func cancel() {
        // Released after the lock: a `deinit` may call anything.
        let released = body.withLock { body in
            defer { body = nil }
            return body
        }
        withExtendedLifetime(released) {}
    }
}

/// An observation by a closure or observer, which lasts until this is cancelled or released.
public final class ActiveConfigSubscription: Sendable {
    private let end: @Sendable () -> Void

    /// - Parameter end: Called at each cancellation, and when it is released.
    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    convenience init(
        _ registration: ListenerRegistration,
        remove: @escaping @Sendable (ListenerRegistration) -> Void
    ) {
        self.init {
            registration.cancel()
            remove(registration)
        }
    }

    deinit { cancel() }

    /// Ends the observation.
    ///
    /// On the listener queue, nothing is delivered to a closure after this has returned.
    public func cancel() { end() }
}
