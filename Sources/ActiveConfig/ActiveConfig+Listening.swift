import Foundation

/// An object that receives changes of the sections it is registered for.
///
/// It is held weakly and called on the `listenerQueue` of its ``ActiveConfig``. A closure
/// (`listen(forSectionName:_:)`) or a sequence (`sections(named:)`) is often less work, above all
/// in a class of the main actor; see <doc:Listening-to-changes>.
public protocol ActiveConfigListener: AnyObject, Sendable {
    /// Called at once with the current section, if there is one, and then at each change.
    ///
    /// - Parameters:
    ///   - activeConfig: The object whose configuration it is.
    ///   - section: The current section; nil when it is gone.
    ///   - sectionName: The name it was registered for.
    func activeConfig(
        _ activeConfig: ActiveConfig, didReceiveConfigSection section: ActiveConfigSection?,
        forSectionName sectionName: String)
}

extension ActiveConfig {
    /// Registers a listener for a section.
    ///
    /// The current section, if there is one, is delivered at once, and then each change once; `nil`
    /// means that the section is gone. Equal values in another document are no change. The listener
    /// is held weakly and called on the listener queue, in the order of the changes. Registering it
    /// again delivers the current section again and nothing twice.
    ///
    /// - Parameters:
    ///   - listener: The listener.
    ///   - sectionName: The section's name, which need not exist yet.
    public func registerListener(
        _ listener: any ActiveConfigListener, forSectionName sectionName: String
    ) {
        let registration = ListenerRegistration(
            of: listener, sectionName: sectionName
        ) { [weak self, weak listener] section in
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
    /// On the listener queue, it is not called once this has returned, not even with what is
    /// already on the queue.
    ///
    /// - Parameters:
    ///   - listener: The listener. It may be in its `deinit`.
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

    /// Listens to a section with a closure, as ``registerListener(_:forSectionName:)`` does with an
    /// object.
    ///
    /// ```swift
    /// token = config.listen(forSectionName: "AppFeatures") { section in … }
    /// ```
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - body: Called on the listener queue.
    /// - Returns: A token; the listening ends when it is cancelled or released.
    public func listen(
        forSectionName sectionName: String,
        _ body: @escaping @Sendable (ActiveConfigSection?) -> Void
    ) -> ActiveConfigSubscription {
        listen(ListenerRegistration(sectionName: sectionName, body))
    }

    /// Listens to a section with a closure of the main actor, as for a view model.
    ///
    /// ```swift
    /// @MainActor final class Model {
    ///     private var token: ActiveConfigSubscription?
    ///     var isOn = false
    ///     init(_ config: ActiveConfig) {
    ///         token = config.listenOnMainActor(forSectionName: "AppFeatures") { [weak self] in
    ///             self?.isOn = $0?.bool(forKey: "SomeFeature") ?? false
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - body: Called on the main actor, in order. When this function is called there, the current
    ///     section is delivered before it returns, so that a view that appears does not show the
    ///     default first.
    /// - Returns: A token; the listening ends when it is cancelled or released. On the main actor
    ///   nothing is delivered after that.
    public func listenOnMainActor(
        forSectionName sectionName: String,
        _ body: @escaping @MainActor (ActiveConfigSection?) -> Void
    ) -> ActiveConfigSubscription {
        let isOnMainQueue = listenerQueue === DispatchQueue.main
        let registration = ListenerRegistration(
            sectionName: sectionName, on: isOnMainQueue ? nil : .main
        ) { section in
            MainActor.assumeIsolated { body(section) }
        }
        guard MainQueue.isCurrent else { return listen(registration) }
        let section = register(registration, queuesCurrentSection: false) { _ in nil }
        if let section { MainActor.assumeIsolated { body(section) } }
        return token(of: registration)
    }

    /// The values of one section: the current one first (nil when there is no such section), then
    /// each new one.
    ///
    /// A consumer that is slower than the changes gets the newest.
    public func sections(named sectionName: String) -> SectionValues {
        SectionValues(changes: SectionChanges(self, sectionName: sectionName))
    }

    /// The changes of one section.
    ///
    /// It starts with the current section, if there is one, as a change from nil. A consumer that
    /// is slower than the changes gets several combined into one.
    public func sectionChanges(named sectionName: String) -> SectionChanges {
        SectionChanges(self, sectionName: sectionName)
    }

    /// The changes of all sections, each section on its own.
    ///
    /// It starts with the current sections as changes from nil. A consumer that is slower than the
    /// changes gets several combined into one.
    public var changes: SectionChanges { SectionChanges(self, sectionName: nil) }

    private func listen(_ registration: ListenerRegistration) -> ActiveConfigSubscription {
        register(registration) { _ in nil }
        return token(of: registration)
    }

    private func token(of registration: ListenerRegistration) -> ActiveConfigSubscription {
        ActiveConfigSubscription(registration) { [weak self] registration in
            self?.state.withLock { $0.listeners.remove(registration) }
        }
    }

    /// Adds a registration unless `find` returns one, and queues the current section for it.
    ///
    /// - Returns: The current section.
    @discardableResult
    private func register(
        _ registration: ListenerRegistration, queuesCurrentSection: Bool = true,
        unless find: (ListenerTable) -> ListenerRegistration?
    ) -> ActiveConfigSection? {
        loadedSnapshot()
        let name = registration.sectionName
        let (section, crowd) = state.withLock {
            state -> (ActiveConfigSection?, [ListenerRegistration]) in
            let known = find(state.listeners)
            let section = state.snapshot?.sections[name]
            if let section, queuesCurrentSection {
                // Under the lock, which keeps the order; see `change(_:)`.
                queue(in: &state) {
                    withExtendedLifetime(self) { (known ?? registration).deliver(section) }
                }
            }
            return (section, known == nil ? state.listeners.add(registration) : [])
        }
        if !crowd.isEmpty {
            let gone = crowd.filter(\.isGone)
            state.withLock { $0.listeners.prune(gone) }
        }
        return section
    }
}

extension ActiveConfig: DownloadingSource {
    /// Yields whenever a section or the user may have changed; unread elements coalesce into one.
    package func makeSignals() -> AsyncStream<Void> { signals.makeStream() }
}
