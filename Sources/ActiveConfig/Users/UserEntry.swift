internal import Dispatch

/// The configuration of one user beside the current one, and who listens to it.
final class UserEntry: Sendable {
    private struct State {
        /// Nil until first use.
        var snapshot: ConfigurationSnapshot?
        /// Counts what came in force and what was dropped.
        var version = 0
        var listeners = ListenerTable()
    }

    let userID: UserID
    private let listenerQueue: DispatchQueue
    private let state = Locked(State())
    private let signals = ChangeSignals()

    init(_ userID: UserID, listenerQueue: DispatchQueue) {
        self.userID = userID
        self.listenerQueue = listenerQueue
    }

    /// Nil: not loaded yet.
    var snapshot: ConfigurationSnapshot? { state.withLock { $0.snapshot } }

    /// Changes with each configuration that comes in force.
    var version: Int { state.withLock { $0.version } }

    /// Makes what is being loaded stale.
    func invalidateLoads() { state.withLock { $0.version += 1 } }

    /// Brings a configuration in force, and queues what its listeners are to hear.
    ///
    /// Comparing and replacing must not overlap with another call.
    ///
    /// - Parameters:
    ///   - new: The configuration.
    ///   - version: The version that it replaces; nil replaces any.
    func replace(with new: ConfigurationSnapshot, ifVersion version: Int? = nil) {
        let (old, isHeard) = state.withLock { state in
            (state.snapshot, !state.listeners.isEmpty)
        }
        // Before the first load nobody has seen anything.
        func changes() -> [SectionChange] { old.map { new.changes(since: $0.sections) } ?? [] }
        if !isHeard, replace(with: new, since: old, nil, ifVersion: version) { return }
        // Also when a listener has registered meanwhile, which was given a section of the old one.
        replace(with: new, since: old, changes(), ifVersion: version)
    }

    /// As `replace(with:ifVersion:)`, with the changes since `old` that listeners are to hear; nil: it was
    /// not compared, as nobody listened.
    ///
    /// - Returns: False when somebody listens to what was not compared.
    @discardableResult
    private func replace(
        with new: ConfigurationSnapshot, since old: ConfigurationSnapshot?,
        _ changes: [SectionChange]?, ifVersion version: Int?
    ) -> Bool {
        // Nil: it was not compared.
        let isReplaced = state.withLock { state -> Bool? in
            if let version, version != state.version { return false }
            if changes == nil, !state.listeners.isEmpty { return nil }
            state.snapshot = new
            state.version += 1
            let deliveries = (changes ?? []).map { ($0, state.listeners[$0.sectionName]) }
            if !deliveries.isEmpty {
                // Under the lock, so that they come in the order of the changes.
                listenerQueue.async {
                    for (change, registrations) in deliveries {
                        for registration in registrations { registration.deliver(change.new) }
                    }
                }
            }
            return true
        }
        withExtendedLifetime(old) {}
        if isReplaced == true { signals.yield() }
        return isReplaced != nil
    }

    /// Adds a listener, and queues the section in force for it.
    func register(_ registration: ListenerRegistration) {
        state.withLock { state in
            _ = state.listeners.add(registration)
            guard let section = state.snapshot?.sections[registration.sectionName] else { return }
            listenerQueue.async { registration.deliver(section) }
        }
    }

    func remove(_ registration: ListenerRegistration) {
        state.withLock { $0.listeners.remove(registration) }
    }

    /// Yields whenever a section may have changed; unread elements coalesce into one.
    func makeSignals() -> AsyncStream<Void> { signals.makeStream() }
}
