internal import Dispatch

/// The configuration of one user beside the current one, and who listens to it.
final class UserEntry: Sendable {
    private struct State {
        /// Nil until first use.
        var snapshot: ConfigurationSnapshot?
        /// Counts what came in force and what was dropped.
        var version = 0
        var listeners = ListenerTable()
        var signals: [Int: AsyncStream<Void>.Continuation] = [:]
        var nextSignalID = 0
    }

    let userID: UserID
    private let listenerQueue: DispatchQueue
    private let state = Locked(State())

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
    /// - Returns: False when another one has come in force since.
    @discardableResult
    func replace(with new: ConfigurationSnapshot, ifVersion version: Int? = nil) -> Bool {
        let (old, isHeard) = state.withLock { state in
            (state.snapshot, !state.listeners.isEmpty)
        }
        // Before the first load nobody has seen anything.
        let changes = isHeard ? old.map { new.changes(since: $0.sections) } ?? [] : []
        let signals = state.withLock { state -> [AsyncStream<Void>.Continuation]? in
            if let version, version != state.version { return nil }
            state.snapshot = new
            state.version += 1
            let deliveries = changes.map { ($0, state.listeners[$0.sectionName]) }
            if !deliveries.isEmpty {
                // Under the lock, so that they come in the order of the changes.
                listenerQueue.async {
                    for (change, registrations) in deliveries {
                        for registration in registrations { registration.deliver(change.new) }
                    }
                }
            }
            return Array(state.signals.values)
        }
        withExtendedLifetime(old) {}
        for signal in signals ?? [] { signal.yield() }
        return signals != nil
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
    func makeSignals() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.nextSignalID += 1
            state.signals[state.nextSignalID] = continuation
            return state.nextSignalID
        }
        continuation.onTermination = { [weak self] _ in
            // The removed value is released after the lock.
            _ = self?.state.withLock { $0.signals.removeValue(forKey: id) }
        }
        return stream
    }
}
