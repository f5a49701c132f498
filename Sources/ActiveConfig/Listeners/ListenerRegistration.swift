/// One listener's interest in one section.
final class ListenerRegistration: Sendable {
    /// The section's name.
    let sectionName: String
    /// Who listens, to find it again; nil for a closure.
    let listenerID: ObjectIdentifier?
    private let call: @Sendable (ActiveConfig, ActiveConfigSection?) -> Void
    private let isListenerGone: @Sendable () -> Bool
    private let isActive = Locked(true)

    /// Makes a registration of an object, which is held weakly.
    init(_ listener: any ActiveConfigListener, sectionName: String) {
        self.sectionName = sectionName
        listenerID = ObjectIdentifier(listener)
        call = { [weak listener] activeConfig, section in
            listener?.activeConfig(
                activeConfig, didReceiveConfigSection: section, forSectionName: sectionName)
        }
        isListenerGone = { [weak listener] in listener == nil }
    }

    /// Makes a registration of a closure, which is kept until it is cancelled.
    init(sectionName: String, _ body: @escaping @Sendable (ActiveConfigSection?) -> Void) {
        self.sectionName = sectionName
        listenerID = nil
        call = { _, section in body(section) }
        isListenerGone = { false }
    }

    /// Whether the listener does not exist any more. It may be released by this look, and its
    /// `deinit` run: never look while a lock is held.
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
