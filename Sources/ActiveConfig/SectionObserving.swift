internal import Dispatch

/// Observes sections and settings of the current user, or of any other user.
///
/// ```swift
/// func showColumns(_ settings: some SectionObserving) -> ActiveConfigSubscription {
///     settings.observe(.columns) { columns in … }
/// }
/// ```
///
/// ``ActiveConfig`` and ``UserConfiguration`` conform. A closure and a sequence get what is active
/// now, then each change once; see <doc:Observing-changes>. Closures are called on the listener
/// queue or the main actor, in the order of the changes. No notifications are posted for users other
/// than the current one.
public protocol SectionObserving: SettingsReading {
    /// Where observations are added; static, so that it is not among the completions of a configuration.
    ///
    /// A type of your own that wraps a configuration returns that of the configuration:
    /// `ActiveConfig.observations(of: settings.config)`.
    ///
    /// - Parameter settings: The observed object.
    /// - Returns: Its observations.
    static func observations(of settings: Self) -> SectionObservations
}

/// The observations of one configuration.
public struct SectionObservations: Sendable {
    let source: any ObservedSource

    var config: ActiveConfig { source.config }

    func add(_ registration: ListenerRegistration) -> ActiveConfigSubscription {
        source.add(registration, queuesCurrentSection: true)
        return ActiveConfigSubscription(registration, remove: source.remover)
    }

    /// On the main thread, delivers the current section before it returns.
    ///
    /// `make` takes the queue for the body; nil is the listener queue.
    func addOnMainActor(
        _ make: (DispatchQueue?) -> ListenerRegistration
    ) -> ActiveConfigSubscription {
        let registration = make(config.listenerQueue === DispatchQueue.main ? nil : .main)
        guard MainQueue.isCurrent else { return add(registration) }
        let contents = source.add(registration, queuesCurrentSection: false)
        registration.deliverFirst(of: contents) { registration.call($0, $1) }
        return ActiveConfigSubscription(registration, remove: source.remover)
    }
}

extension SectionObserving {
    private var observations: SectionObservations { Self.observations(of: self) }

    /// Observes a section with a closure, as ``ActiveConfig/registerListener(_:forSectionName:)`` does with
    /// an object.
    ///
    /// ```swift
    /// subscription = config.observe(sectionNamed: "AppFeatures") { section in … }
    /// ```
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - body: Called on the listener queue, first if there is a section, then at each change;
    ///     nil means that the section was removed.
    /// - Returns: A subscription, which ends when it is cancelled or released; until then a user's
    ///   configuration stays in memory.
    public func observe(
        sectionNamed sectionName: String,
        _ body: @escaping @Sendable (ActiveConfigSection?) -> Void
    ) -> ActiveConfigSubscription {
        observations.add(
            ListenerRegistration(sectionName: sectionName) { section, _ in body(section) })
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
        observations.add(SettingSelection(key).registration(observations.config, body))
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
        observations.add(SettingSelection(type).registration(observations.config, body))
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
        observations.addOnMainActor { queue in
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
        let observations = observations
        return observations.addOnMainActor {
            SettingSelection(key).registration(observations.config, on: $0, body)
        }
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
        let observations = observations
        return observations.addOnMainActor {
            SettingSelection(type).registration(observations.config, on: $0, body)
        }
    }

    /// The values of a setting: the current one first, then each new one.
    ///
    /// ```swift
    /// for await isOn in config.values(for: .isCheckoutOn) { … }
    /// ```
    ///
    /// Equal consecutive values are skipped. A slow consumer gets the newest value.
    public func values<Value>(for key: SettingKey<Value>) -> ConfigurationUpdates<Value> {
        observations.source.values(of: SettingSelection(key))
    }

    /// The values of a whole section, decoded: the current one first, then each new one.
    ///
    /// A slow consumer gets the newest value.
    public func values<Section: SettingsSection>(
        of type: Section.Type
    ) -> ConfigurationUpdates<Section> {
        observations.source.values(of: SettingSelection(type))
    }

    /// The values of one section: the current one first (nil when there is no such section), then
    /// each new one.
    ///
    /// A slow consumer gets the newest value.
    public func values(
        ofSection sectionName: String
    ) -> ConfigurationUpdates<ActiveConfigSection?> {
        ConfigurationUpdates(of: observations.source, sectionName: sectionName)
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
        ConfigurationUpdates(of: observations.source, changesInSection: sectionName)
    }

    /// The snapshots: the current one first, then one for each change of a section or of the user.
    ///
    /// For settings that have to be of one document:
    ///
    /// ```swift
    /// for await snapshot in config.snapshots() where snapshot[.isCheckoutOn] {
    ///     pay(within: snapshot[.checkoutTimeout])
    /// }
    /// ```
    ///
    /// A document whose sections equal the active ones, or that waits for `activate()`, yields nothing.
    /// A slow consumer gets the newest snapshot, unless it equals the consumer's last one.
    ///
    /// - Returns: A sequence, which ends when its task is cancelled.
    public func snapshots() -> ConfigurationUpdates<ConfigurationSnapshot> {
        observations.source.snapshotUpdates()
    }
}
