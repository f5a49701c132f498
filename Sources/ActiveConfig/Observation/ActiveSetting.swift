#if canImport(SwiftUI)
    public import SwiftUI
#endif

/// A property that has the value of a setting.
///
/// ```swift
/// struct CheckoutView: View {
///     @ActiveSetting(.isCheckoutOn) private var isOn
///     var body: some View { if isOn { PayButton() } }
/// }
/// ```
///
/// It follows the configuration that it was created with; without one, in a view that of the
/// environment, `.activeConfig(config)`; else ``ActiveConfig/shared``. Without any it has the key's
/// default, until the shared one is set. See <doc:SwiftUI-and-Observation>.
///
/// On the main actor a read is observed: a view, and whatever else uses Observation, follows the
/// setting. Elsewhere it is the active value, as `config[key]`. The projected value is a sequence:
///
/// ```swift
/// for await isOn in $isOn { … }
/// ```
@propertyWrapper
public struct ActiveSetting<Value: Sendable> {
    #if canImport(SwiftUI)
        @Environment(\.activeConfig) private var environment
        /// The configuration of the environment, once the property is part of a view.
        private var installed: ActiveConfig?
    #endif
    private let key: SettingKey<Value>
    private let config: ActiveConfig?

    /// Creates a property.
    ///
    /// - Parameters:
    ///   - key: The setting.
    ///   - config: The configuration; nil is that of the environment, else ``ActiveConfig/shared``.
    public init(_ key: SettingKey<Value>, in config: ActiveConfig? = nil) {
        self.key = key
        self.config = config
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

    /// The value of the setting, or the key's default.
    public var wrappedValue: Value {
        let own = own
        guard MainQueue.isCurrent else {
            return (own ?? ActiveConfig.shared)?[key] ?? key.defaultValue
        }
        return MainActor.assumeIsolated { [key] in
            if own == nil { SharedConfiguration.instance.track() }
            guard let config = own ?? ActiveConfig.shared else { return key.defaultValue }
            return ObservableActiveConfig(config)[key]
        }
    }

    /// The values: the current one first, then each new one.
    ///
    /// Without a configuration, the key's default, and then those of ``ActiveConfig/shared`` once it is
    /// set.
    public var projectedValue: SettingValues<Value> {
        own?.values(for: key) ?? SharedConfiguration.instance.values(for: key)
    }

    /// Nil: the shared one.
    private var own: ActiveConfig? {
        #if canImport(SwiftUI)
            config ?? installed
        #else
            config
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
