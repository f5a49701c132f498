/// A setting with its type and default: declare it once, read it with a leading dot.
///
/// ```swift
/// extension SettingKey<Bool> {
///     static let isCheckoutOn = SettingKey("Checkout", "isOn", default: false)
/// }
///
/// if config[.isCheckoutOn] { … }
/// ```
///
/// A value of another type gives the default; ``ConfigurationDiagnostics/problems`` and the log
/// report it.
///
/// Declare keys as constants: the first key of each section, name and type allocates a definition,
/// which is kept as long as the process runs.
public struct SettingKey<Value: Sendable>: Sendable {
    // First property, so that generic code finds it without the type's metadata.
    /// Never released, so that copying a key needs no reference counting.
    let definition: SettingDefinition.Reference
    /// The setting's slot in a ``ScalarCache``.
    let slot: Int

    /// The value when the setting is absent or of another type.
    public let defaultValue: Value

    /// The section and the setting's name.
    public var path: SettingPath { definition.object.path }

    /// A Boolean value that indicates whether explanations, reports, problems, exposures and the log of
    /// this process mask the setting's values, because any key of the setting is secret.
    public var isSecret: Bool { SettingDefinition.isSecret(path) }

    /// The section's name.
    public var sectionName: String { path.sectionName }

    /// The setting's name in its section.
    public var name: String { path.name }

    /// Creates a key for a ``SettingConvertible`` type.
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - name: The setting's name in the section.
    ///   - defaultValue: The value when the setting is absent or of another type.
    ///   - isSecret: True to mask the setting's values; see ``isSecret``.
    public init(
        _ sectionName: String, _ name: String, default defaultValue: Value, isSecret: Bool = false
    ) where Value: SettingConvertible {
        self.init(sectionName, name, defaultValue, .convertible(Value.self), isSecret: isSecret)
    }

    /// Creates a key for a `Decodable` type; see ``ActiveConfigSection/decode(_:forKey:)`` for the
    /// rules.
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - name: The setting's name in the section.
    ///   - defaultValue: The value when the setting is absent or of another type.
    ///   - isSecret: True to mask the setting's values; see ``isSecret``.
    public init(
        _ sectionName: String, _ name: String, default defaultValue: Value, isSecret: Bool = false
    ) where Value: Decodable {
        self.init(sectionName, name, defaultValue, .decodable(Value.self), isSecret: isSecret)
    }

    /// Creates a key for a type that is both `Decodable` and ``SettingConvertible``; it is read by
    /// the latter.
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - name: The setting's name in the section.
    ///   - defaultValue: The value when the setting is absent or of another type.
    ///   - isSecret: True to mask the setting's values; see ``isSecret``.
    public init(
        _ sectionName: String, _ name: String, default defaultValue: Value, isSecret: Bool = false
    ) where Value: SettingConvertible & Decodable {
        self.init(sectionName, name, defaultValue, .convertible(Value.self), isSecret: isSecret)
    }

    /// Unavailable: the type is neither ``SettingConvertible`` nor `Decodable`.
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - name: The setting's name in the section.
    ///   - defaultValue: The value when the setting is absent or of another type.
    @available(
        *, unavailable,
        message: """
            a setting cannot be read as this type; declare it as SettingConvertible, \
            as in 'enum Theme: String, SettingConvertible', or as Decodable
            """
    )
    public init(_ sectionName: String, _ name: String, default defaultValue: Value) {
        self.init(sectionName, name, defaultValue, .none, isSecret: false)
    }

    private init(
        _ sectionName: String, _ name: String, _ defaultValue: Value, _ reader: SettingReader,
        isSecret: Bool
    ) {
        self.defaultValue = defaultValue
        (definition, slot) = SettingDefinition.interned(
            SettingPath(sectionName, name), type: Value.self, reader: reader,
            absent: DecodedValue<Value>(nil), isSecret: isSecret)
    }
}

extension SettingKey: CustomStringConvertible {
    /// The section and the name, such as `Checkout.isOn`.
    public var description: String { path.description }
}
