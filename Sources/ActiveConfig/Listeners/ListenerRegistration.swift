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

    typealias Body = @Sendable (ActiveConfig, ActiveConfigSection?) -> Void

    let sectionName: String
    private weak let listener: (any ActiveConfigListener)?
    private let listenerID: ObjectIdentifier?
    /// The queue that deliveries are put on from the listener queue, if any.
    private let queue: DispatchQueue?
    /// What is called; nil when the listening is over.
    private let body: Locked<Body?>

    /// Makes a registration of an object, which is held weakly.
    init(_ listener: any ActiveConfigListener, sectionName: String) {
        self.sectionName = sectionName
        self.listener = listener
        listenerID = ObjectIdentifier(listener)
        queue = nil
        body = Locked { [weak listener] activeConfig, section in
            listener?.activeConfig(
                activeConfig, didReceiveConfigSection: section, forSectionName: sectionName)
        }
    }

    /// Makes a registration of a closure, which is kept until it is cancelled.
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - queue: The queue that the closure is put on from the listener queue; nil: it is called
    ///     there.
    ///   - body: What is called.
    init(
        sectionName: String, on queue: DispatchQueue? = nil,
        _ body: @escaping @Sendable (ActiveConfigSection?) -> Void
    ) {
        self.sectionName = sectionName
        self.queue = queue
        self.body = Locked { _, section in body(section) }
        listener = nil
        listenerID = nil
    }

    var key: Key { listenerID.map { .listener($0) } ?? .closure(ObjectIdentifier(self)) }

    /// Whether this is the registration of an object, not of a dead one whose place in memory the
    /// object has taken.
    ///
    /// The caller holds the object, so no `deinit` runs here.
    func isOf(_ object: any ActiveConfigListener) -> Bool { listener === object }

    /// Whether the listener does not exist any more.
    ///
    /// This may release the listener for good, and run its `deinit`: never ask while a lock is held.
    var isGone: Bool { listenerID != nil && listener == nil }

    /// Tells the listener, unless it was cancelled.
    func deliver(_ section: ActiveConfigSection?, from activeConfig: ActiveConfig) {
        guard let queue else { return call(activeConfig, section) }
        // What waits there holds the registration, and so no closure that was cancelled.
        queue.async { self.call(activeConfig, section) }
    }

    private func call(_ activeConfig: ActiveConfig, _ section: ActiveConfigSection?) {
        body.withLock { $0 }?(activeConfig, section)
    }

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
