#if canImport(SwiftUI)
    public import SwiftUI
#endif

/// A property with the value of a setting.
///
/// ```swift
/// struct CheckoutView: View {
///     @ActiveSetting(.isCheckoutOn) private var isOn
///     var body: some View { if isOn { PayButton() } }
/// }
/// ```
///
/// It follows the first of these: the configuration passed at its creation; in a view, that of the
/// environment, `.activeConfig(config)`; ``ActiveConfig/shared``. Without any it has the default
/// until the shared one is set, and the log reports that once per setting. See
/// <doc:Observing-changes>.
///
/// On the main actor a read is observed: views and other users of Observation follow the setting.
/// Off the main actor it returns the active value, as `config[key]`. The projected value is a
/// sequence:
///
/// ```swift
/// @ActiveSetting(.isCheckoutOn) var isOn
/// for await isOn in $isOn { print(isOn) }
/// ```
@propertyWrapper
public struct ActiveSetting<Value: Sendable> {
    #if canImport(SwiftUI)
        @Environment(\.activeConfig) private var environment
        /// The configuration of the environment, once the property is part of a view.
        private var installed: ActiveConfig?
    #endif
    private let selection: SettingSelection<Value>
    private let source: (any ObservedSource)?

    /// Creates a property that follows a setting.
    ///
    /// - Parameters:
    ///   - key: The setting.
    ///   - config: The configuration; nil uses that of the environment, else
    ///     ``ActiveConfig/shared``.
    public init(_ key: SettingKey<Value>, in config: ActiveConfig? = nil) {
        selection = SettingSelection(key)
        source = config
    }

    /// Creates a property that follows a setting of one user, current or not.
    ///
    /// - Parameters:
    ///   - key: The setting.
    ///   - user: The user's configuration.
    public init(_ key: SettingKey<Value>, in user: UserConfiguration) {
        selection = SettingSelection(key)
        source = user
    }

    /// Creates a property that follows a whole section, as in
    /// `@ActiveSetting(Checkout.self) private var checkout`.
    ///
    /// - Parameters:
    ///   - type: The type, which names its section.
    ///   - config: The configuration; nil uses that of the environment, else
    ///     ``ActiveConfig/shared``.
    public init(_ type: Value.Type, in config: ActiveConfig? = nil) where Value: SettingsSection {
        selection = SettingSelection(type)
        source = config
    }

    /// Creates a property that follows a whole section of one user, current or not.
    ///
    /// - Parameters:
    ///   - type: The type, which names its section.
    ///   - user: The user's configuration.
    public init(_ type: Value.Type, in user: UserConfiguration) where Value: SettingsSection {
        selection = SettingSelection(type)
        source = user
    }

    /// Unavailable: the default is the key's.
    ///
    /// - Parameters:
    ///   - wrappedValue: A value that would be lost.
    ///   - key: The setting.
    ///   - config: The configuration.
    @available(
        *, unavailable,
        message: "the value is the setting's, and the default the key's; leave out '= …'"
    )
    public init(wrappedValue: Value, _ key: SettingKey<Value>, in config: ActiveConfig? = nil) {
        self.init(key, in: config)
    }

    /// Unavailable: a setting is named by a key.
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - name: The setting's name in the section.
    ///   - defaultValue: The value when there is none.
    @available(
        *, unavailable,
        message: """
            declare a key, as in 'extension SettingKey<Bool> { static let isOn = \
            SettingKey("Home", "isOn", default: false) }', and write '@ActiveSetting(.isOn)'
            """
    )
    public init(_ sectionName: String, _ name: String, default defaultValue: Value? = nil) {
        preconditionFailure("Unavailable.")
    }

    /// The value of the setting or section, or its default.
    public var wrappedValue: Value {
        guard MainQueue.isCurrent else {
            guard let source = own ?? ActiveConfig.shared else { return unconfiguredValue }
            let snapshot = source.snapshot
            return selection.read(snapshot.config, snapshot.contents)
        }
        return MainActor.assumeIsolated { [own, selection] in
            if own == nil { SharedConfiguration.instance.track() }
            guard let source = own ?? ActiveConfig.shared else { return nil }
            return ObservableActiveConfig(source: source).value(of: selection)
        } ?? unconfiguredValue
    }

    /// The default, since there is no configuration to read.
    private var unconfiguredValue: Value {
        SharedConfiguration.instance.reportMissing(for: selection)
        return selection.standard()
    }

    /// The values: the current one first, then each new one.
    ///
    /// Without a configuration it yields the default, then the values of ``ActiveConfig/shared``
    /// once it is set.
    public var projectedValue: ConfigurationUpdates<Value> {
        own?.values(of: selection) ?? SharedConfiguration.instance.values(of: selection)
    }

    /// Nil: the shared one.
    private var own: (any ObservedSource)? {
        #if canImport(SwiftUI)
            source ?? installed
        #else
            source
        #endif
    }
}

@available(*, unavailable)
extension ActiveSetting: Sendable {}

#if canImport(SwiftUI)
    extension ActiveSetting: DynamicProperty {
        /// Takes the configuration of the environment; SwiftUI calls it before each body.
        public mutating func update() { installed = environment }
    }

    extension EnvironmentValues {
        private struct ActiveConfigKey: EnvironmentKey {
            static let defaultValue: ActiveConfig? = nil
        }

        /// The configuration that ``ActiveSetting`` properties of a view follow.
        public var activeConfig: ActiveConfig? {
            get { self[ActiveConfigKey.self] }
            set { self[ActiveConfigKey.self] = newValue }
        }
    }

    extension View {
        /// Sets the configuration that ``ActiveSetting`` properties of a view and its subviews follow.
        ///
        /// - Parameter config: The configuration.
        /// - Returns: The view with the configuration in its environment.
        public func activeConfig(_ config: ActiveConfig) -> some View {
            environment(\.activeConfig, config)
        }
    }
#endif
