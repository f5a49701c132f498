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

    /// Observes a section with a closure, as ``registerListener(_:forSectionName:)`` does with an object.
    ///
    /// ```swift
    /// subscription = config.observe(sectionNamed: "AppFeatures") { section in … }
    /// ```
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - body: Called on the listener queue, first if there is a section, then at each change;
    ///     nil means that the section was removed.
    /// - Returns: A subscription, which ends when it is cancelled or released.
    public func observe(
        sectionNamed sectionName: String,
        _ body: @escaping @Sendable (ActiveConfigSection?) -> Void
    ) -> ActiveConfigSubscription {
        observe(ListenerRegistration(sectionName: sectionName) { section, _ in body(section) })
    }

    /// Observes a setting with a closure.
    ///
    /// ```swift
    /// subscription = config.observe(.isCheckoutOn) { isOn in … }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The setting.
    ///   - body: Called on the listener queue with the current value, then with each new one.
    /// - Returns: A subscription, which ends when it is cancelled or released.
    public func observe<Value>(
        _ key: SettingKey<Value>, _ body: @escaping @Sendable (Value) -> Void
    ) -> ActiveConfigSubscription {
        observe(SettingSelection(key).registration(self, body))
    }

    /// Observes a whole section, decoded, with a closure.
    ///
    /// - Parameters:
    ///   - type: The type, which names its section.
    ///   - body: Called on the listener queue with the current section, then at each change.
    /// - Returns: A subscription, which ends when it is cancelled or released.
    public func observe<Section: SettingsSection>(
        _ type: Section.Type, _ body: @escaping @Sendable (Section) -> Void
    ) -> ActiveConfigSubscription {
        observe(SettingSelection(type).registration(self, body))
    }

    /// Observes a section with a main-actor closure, as for a view model.
    ///
    /// ```swift
    /// @MainActor final class Model {
    ///     private var subscription: ActiveConfigSubscription?
    ///     var isOn = false
    ///     init(_ config: ActiveConfig) {
    ///         subscription = config.observeOnMainActor(sectionNamed: "AppFeatures") { [weak self] in
    ///             self?.isOn = $0?.bool(forKey: "SomeFeature") ?? false
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - body: Called on the main actor, in order. If this function is called there, it delivers
    ///     the current section before it returns, so that a new view does not show the default
    ///     first.
    /// - Returns: A subscription, which ends when it is cancelled or released. On the main actor no
    ///   delivery follows.
    public func observeOnMainActor(
        sectionNamed sectionName: String,
        _ body: @escaping @MainActor (ActiveConfigSection?) -> Void
    ) -> ActiveConfigSubscription {
        observeOnMainActor { queue in
            ListenerRegistration(sectionName: sectionName, on: queue) { section, _ in
                MainActor.assumeIsolated { body(section) }
            }
        }
    }

    /// Observes a setting with a main-actor closure, as for a view model.
    ///
    /// - Parameters:
    ///   - key: The setting.
    ///   - body: Called on the main actor with the current value (before this function returns if
    ///     it is called there), then with each new one.
    /// - Returns: A subscription, which ends when it is cancelled or released.
    public func observeOnMainActor<Value>(
        _ key: SettingKey<Value>, _ body: @escaping @MainActor (Value) -> Void
    ) -> ActiveConfigSubscription {
        observeOnMainActor { SettingSelection(key).registration(self, on: $0, body) }
    }

    /// Observes a whole section, decoded, with a main-actor closure, as for a view model.
    ///
    /// - Parameters:
    ///   - type: The type, which names its section.
    ///   - body: Called on the main actor with the current section (before this function returns if
    ///     it is called there), then at each change.
    /// - Returns: A subscription, which ends when it is cancelled or released.
    public func observeOnMainActor<Section: SettingsSection>(
        _ type: Section.Type, _ body: @escaping @MainActor (Section) -> Void
    ) -> ActiveConfigSubscription {
        observeOnMainActor { SettingSelection(type).registration(self, on: $0, body) }
    }

    /// The values of a setting: the current one first, then each new one.
    ///
    /// ```swift
    /// for await isOn in config.values(for: .isCheckoutOn) { … }
    /// ```
    ///
    /// Equal consecutive values are skipped. A slow consumer gets the newest value.
    public func values<Value>(for key: SettingKey<Value>) -> ConfigurationUpdates<Value> {
        values(of: SettingSelection(key))
    }

    /// The values of a whole section, decoded: the current one first, then each new one.
    ///
    /// A slow consumer gets the newest value.
    public func values<Section: SettingsSection>(
        of type: Section.Type
    ) -> ConfigurationUpdates<Section> {
        values(of: SettingSelection(type))
    }

    /// The values of one section: the current one first (nil when there is no such section), then
    /// each new one.
    ///
    /// A slow consumer gets the newest value.
    public func values(
        ofSection sectionName: String
    ) -> ConfigurationUpdates<ActiveConfigSection?> {
        ConfigurationUpdates(of: self, sectionName: sectionName)
    }

    /// The changes of one section, or of all, one element per section.
    ///
    /// Starts with the current sections as changes from nil. For a slow consumer several changes
    /// are combined into one.
    ///
    /// - Parameter sectionName: The section's name; nil: all sections.
    /// - Returns: A sequence, which ends when its task is cancelled.
    public func changes(
        inSection sectionName: String? = nil
    ) -> ConfigurationUpdates<SectionChange> {
        ConfigurationUpdates(of: self, changesInSection: sectionName)
    }

    func values<Value>(of selection: SettingSelection<Value>) -> ConfigurationUpdates<Value> {
        ConfigurationUpdates(
            of: selection, makeSignals: { self.makeSignals() },
            load: {
                ConfigurationSnapshot(config: self, contents: await self.loadedSnapshotInTask())
            })
    }

    private func observe(_ registration: ListenerRegistration) -> ActiveConfigSubscription {
        register(registration) { _ in nil }
        return subscription(of: registration)
    }

    /// `make` takes the queue for the body; nil is the listener queue.
    private func observeOnMainActor(
        _ make: (DispatchQueue?) -> ListenerRegistration
    ) -> ActiveConfigSubscription {
        let registration = make(listenerQueue === DispatchQueue.main ? nil : .main)
        guard MainQueue.isCurrent else { return observe(registration) }
        let contents = register(registration, queuesCurrentSection: false) { _ in nil }
        registration.deliverFirst(of: contents) { registration.call($0, $1) }
        return subscription(of: registration)
    }

    private func subscription(of registration: ListenerRegistration) -> ActiveConfigSubscription {
        ActiveConfigSubscription(registration) { [weak self] registration in
            self?.state.withLock { $0.listeners.remove(registration) }
        }
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

extension ActiveConfig: ObservedSource {
    var config: ActiveConfig { self }

    /// Yields whenever a section or the user may have changed; unread elements coalesce into one.
    package func makeSignals() -> AsyncStream<Void> { signals.makeStream() }
}
