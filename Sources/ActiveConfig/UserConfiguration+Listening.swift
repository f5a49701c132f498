import Dispatch

extension UserConfiguration {
    /// The values of a setting: the current one first, then each new one; see
    /// ``ActiveConfig/values(for:)``.
    public func values<Value>(for key: SettingKey<Value>) -> ConfigurationUpdates<Value> {
        values(of: SettingSelection(key))
    }

    /// The values of a whole section, decoded: the current one first, then each new one.
    public func values<Section: SettingsSection>(
        of type: Section.Type
    ) -> ConfigurationUpdates<Section> {
        values(of: SettingSelection(type))
    }

    /// The values of one section: the current one first (nil when there is none), then each new
    /// one.
    public func values(
        ofSection sectionName: String
    ) -> ConfigurationUpdates<ActiveConfigSection?> {
        ConfigurationUpdates(of: self, sectionName: sectionName)
    }

    /// The changes of one section, or of all; the current sections come first, as changes from nil.
    ///
    /// - Parameter sectionName: The section's name; nil: all sections.
    /// - Returns: A sequence, which ends when its task is cancelled.
    public func changes(
        inSection sectionName: String? = nil
    ) -> ConfigurationUpdates<SectionChange> {
        ConfigurationUpdates(of: self, changesInSection: sectionName)
    }

    /// Observes a section of this user with a closure.
    ///
    /// Delivers the current section at once, if there is one, then each change once. No
    /// notifications are posted for users other than the current one.
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - body: Called on the listener queue; nil means that the section was removed.
    /// - Returns: A subscription, which ends when it is cancelled or released; until then the configuration
    ///   stays in memory.
    public func observe(
        sectionNamed sectionName: String,
        _ body: @escaping @Sendable (ActiveConfigSection?) -> Void
    ) -> ActiveConfigSubscription {
        observe(ListenerRegistration(sectionName: sectionName) { section, _ in body(section) })
    }

    /// Observes a setting of this user with a closure.
    ///
    /// - Parameters:
    ///   - key: The setting.
    ///   - body: Called on the listener queue with the current value, then with each new one.
    /// - Returns: A subscription, which ends when it is cancelled or released; until then the configuration
    ///   stays in memory.
    public func observe<Value>(
        _ key: SettingKey<Value>, _ body: @escaping @Sendable (Value) -> Void
    ) -> ActiveConfigSubscription {
        observe(SettingSelection(key).registration(config, body))
    }

    /// Observes a whole section of this user, decoded, with a closure.
    ///
    /// - Parameters:
    ///   - type: The type, which names its section.
    ///   - body: Called on the listener queue with the current section, then at each change.
    /// - Returns: A subscription, which ends when it is cancelled or released; until then the configuration
    ///   stays in memory.
    public func observe<Section: SettingsSection>(
        _ type: Section.Type, _ body: @escaping @Sendable (Section) -> Void
    ) -> ActiveConfigSubscription {
        observe(SettingSelection(type).registration(config, body))
    }

    /// Observes a section of this user with a main-actor closure, as for a view model.
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - body: Called on the main actor, first with the current section if there is one (before
    ///     this function returns if it is called there), then at each change; nil means that the
    ///     section was removed.
    /// - Returns: A subscription, which ends when it is cancelled or released.
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

    /// Observes a setting of this user with a main-actor closure, as for a view model.
    ///
    /// - Parameters:
    ///   - key: The setting.
    ///   - body: Called on the main actor with the current value (before this function returns if
    ///     it is called there), then with each new one.
    /// - Returns: A subscription, which ends when it is cancelled or released.
    public func observeOnMainActor<Value>(
        _ key: SettingKey<Value>, _ body: @escaping @MainActor (Value) -> Void
    ) -> ActiveConfigSubscription {
        observeOnMainActor { SettingSelection(key).registration(config, on: $0, body) }
    }

    /// Observes a whole section of this user, decoded, with a main-actor closure.
    ///
    /// - Parameters:
    ///   - type: The type, which names its section.
    ///   - body: Called on the main actor with the current section (before this function returns if
    ///     it is called there), then at each change.
    /// - Returns: A subscription, which ends when it is cancelled or released.
    public func observeOnMainActor<Section: SettingsSection>(
        _ type: Section.Type, _ body: @escaping @MainActor (Section) -> Void
    ) -> ActiveConfigSubscription {
        observeOnMainActor { SettingSelection(type).registration(config, on: $0, body) }
    }

    func values<Value>(of selection: SettingSelection<Value>) -> ConfigurationUpdates<Value> {
        ConfigurationUpdates(
            of: selection, makeSignals: { self.makeSignals() },
            load: {
                ConfigurationSnapshot(
                    config: self.config, contents: await self.loadedSnapshotInTask())
            })
    }

    /// `make` takes the queue for the body; nil is the listener queue.
    private func observeOnMainActor(
        _ make: (DispatchQueue?) -> ListenerRegistration
    ) -> ActiveConfigSubscription {
        let registration = make(config.listenerQueue === DispatchQueue.main ? nil : .main)
        return observe(registration, atOnce: MainQueue.isCurrent)
    }

    /// `atOnce` delivers the current section on this thread before this function returns.
    private func observe(
        _ registration: ListenerRegistration, atOnce: Bool = false
    ) -> ActiveConfigSubscription {
        loadedSnapshot()
        let contents = entry.register(registration, queuesCurrentSection: !atOnce)
        if atOnce { registration.deliverFirst(of: contents) { registration.call($0, $1) } }
        return ActiveConfigSubscription(registration) { [entry] in entry.remove($0) }
    }
}
