import Foundation

/// An object that receives changes of the sections it is registered for.
///
/// It is held weakly and called on the `listenerQueue` of its ``ActiveConfig``. A closure
/// (`observe(sectionNamed:_:)`) or a sequence (`values(ofSection:)`) often needs less code,
/// especially in a main-actor class; see <doc:Observing-changes>.
public protocol ActiveConfigListener: AnyObject, Sendable {
    /// Called at once with the current section, if there is one, and then at each change.
    ///
    /// - Parameters:
    ///   - activeConfig: The object that the listener is registered with.
    ///   - section: The current section; nil when it was removed.
    ///   - sectionName: The name it was registered for.
    func activeConfig(
        _ activeConfig: ActiveConfig, didReceiveConfigSection section: ActiveConfigSection?,
        forSectionName sectionName: String)
}

extension ActiveConfig {
    /// Registers a listener for a section.
    ///
    /// Delivers the current section at once, if there is one, then each change once; nil when the
    /// section is removed. Equal values in another document are no change. The listener is held
    /// weakly and called on the listener queue, in the order of the changes. Registering it again
    /// delivers the current section again, and nothing twice.
    ///
    /// - Parameters:
    ///   - listener: The listener.
    ///   - sectionName: The section's name; the section need not exist yet.
    public func registerListener(
        _ listener: any ActiveConfigListener, forSectionName sectionName: String
    ) {
        let registration = ListenerRegistration(
            of: listener, sectionName: sectionName
        ) { [weak self, weak listener] section, _ in
            guard let self else { return }
            listener?.activeConfig(
                self, didReceiveConfigSection: section, forSectionName: sectionName)
        }
        register(registration) { listeners in
            let known = listeners.registration(
                ofListener: ObjectIdentifier(listener), sectionName: sectionName)
            return known?.isOf(listener) == true ? known : nil
        }
    }

    /// Removes a listener from a section.
    ///
    /// On the listener queue, it is not called after this has returned, not even for deliveries
    /// already queued.
    ///
    /// - Parameters:
    ///   - listener: The listener. Can be called from its `deinit`.
    ///   - sectionName: The name it was registered for.
    public func removeListener(
        _ listener: any ActiveConfigListener, forSectionName sectionName: String
    ) {
        let id = ObjectIdentifier(listener)
        let removed = state.withLock { state in
            let found = state.listeners.registration(ofListener: id, sectionName: sectionName)
            if let found { state.listeners.remove(found) }
            return found
        }
        removed?.cancel()
    }

    /// Adds a registration unless `find` returns one, and queues the current section for it.
    ///
    /// - Returns: The current configuration.
    @discardableResult
    private func register(
        _ registration: ListenerRegistration, queuesCurrentSection: Bool = true,
        unless find: (ListenerTable) -> ListenerRegistration?
    ) -> SnapshotContents? {
        loadedSnapshot()
        let (contents, crowd) = state.withLock {
            state -> (SnapshotContents?, [ListenerRegistration]) in
            let known = find(state.listeners)
            let contents = state.snapshot
            if queuesCurrentSection {
                registration.deliverFirst(of: contents) { section, contents in
                    // Under the lock, which preserves the order; see `change(_:)`.
                    queue(in: &state) {
                        withExtendedLifetime(self) {
                            (known ?? registration).deliver(section, of: contents)
                        }
                    }
                }
            }
            return (contents, known == nil ? state.listeners.add(registration) : [])
        }
        if !crowd.isEmpty {
            let gone = crowd.filter(\.isGone)
            state.withLock { $0.listeners.prune(gone) }
        }
        return contents
    }
}

extension ActiveConfig: SectionObserving {
    /// The observations of the current user.
    ///
    /// - Parameter settings: The configuration.
    /// - Returns: The observations.
    public static func observations(of settings: ActiveConfig) -> SectionObservations {
        SectionObservations(source: settings)
    }
}

extension ActiveConfig: ObservedSource {
    var config: ActiveConfig { self }

    @discardableResult
    func add(
        _ registration: ListenerRegistration, queuesCurrentSection: Bool
    ) -> SnapshotContents? {
        register(registration, queuesCurrentSection: queuesCurrentSection) { _ in nil }
    }

    var remover: @Sendable (ListenerRegistration) -> Void {
        { [weak self] registration in
            self?.state.withLock { $0.listeners.remove(registration) }
        }
    }

    /// Yields whenever a section or the user may have changed; unread elements coalesce into one.
    package func makeSignals() -> AsyncStream<Void> { signals.makeStream() }
}
