internal import Dispatch

/// One listener's interest in one section.
final class ListenerRegistration: Sendable {
    /// The section's name.
    let sectionName: String
    /// Who listens, to find it again; nil for a closure.
    let listenerID: ObjectIdentifier?
    private let call: @Sendable (ActiveConfig, ActiveConfigSection?) -> Void
    private let isListenerGone: @Sendable () -> Bool
    private let isActive: Locked<Bool>

    /// Makes a registration of an object, which is held weakly.
    ///
    /// - Parameters:
    ///   - listener: Who listens.
    ///   - sectionName: The section's name.
    ///   - predecessor: The registration that this one takes the place of; both are cancelled at
    ///     once, since the one before may have something on the queue still.
    init(
        _ listener: any ActiveConfigListener, sectionName: String,
        replacing predecessor: ListenerRegistration?
    ) {
        self.sectionName = sectionName
        isActive = predecessor?.isActive ?? Locked(true)
        listenerID = ObjectIdentifier(listener)
        call = { [weak listener] activeConfig, section in
            listener?.activeConfig(
                activeConfig, didReceiveConfigSection: section, forSectionName: sectionName)
        }
        isListenerGone = { [weak listener] in listener == nil }
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
        let isActive = Locked(true)
        self.sectionName = sectionName
        self.isActive = isActive
        listenerID = nil
        call = { _, section in
            guard let queue else { return body(section) }
            queue.async {
                // It may have been cancelled since it was put on the queue.
                if isActive.withLock({ $0 }) { body(section) }
            }
        }
        isListenerGone = { false }
    }

    /// Whether the listener does not exist any more.
    ///
    /// It may be released by this look, and its `deinit` run: never look while a lock is held.
    var isGone: Bool { isListenerGone() }

    /// Tells the listener, unless it was cancelled.
    func deliver(_ section: ActiveConfigSection?, from activeConfig: ActiveConfig) {
        if isActive.withLock({ $0 }) { call(activeConfig, section) }
    }

    /// Stops deliveries, also those already on the queue.
    func cancel() {
        isActive.withLock { $0 = false }
    }
}
