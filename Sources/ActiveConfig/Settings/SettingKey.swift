/// A setting with its type and default: declared once, and read with a leading dot.
///
/// ```swift
/// extension SettingKey<Bool> {
///     static let isCheckoutOn = SettingKey("Checkout", "isOn", default: false)
/// }
///
/// if config[.isCheckoutOn] { … }
/// ```
///
/// A value of another type gives the default; ``ConfigurationDiagnostics/problems`` and the log name it.
///
/// Keys are meant to be constants of the program: what a key needs is kept, once for each section,
/// name and type, as long as the process runs.
public struct SettingKey<Value: Sendable>: Sendable {
    // First, where generic code finds them without asking the type.
    /// Never released, so that copying a key counts no reference.
    let definition: SettingDefinition.Reference
    /// Number of the setting in a ``ScalarCache``.
    let slot: Int

    /// The value when there is none, or none of the type.
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

    /// Creates a key for a type that says itself how it is read.
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - name: The setting's name in the section.
    ///   - defaultValue: The value when there is none, or none of the type.
    ///   - isSecret: True to mask the setting's values; see ``isSecret``.
    public init(
        _ sectionName: String, _ name: String, default defaultValue: Value, isSecret: Bool = false
    ) where Value: SettingConvertible {
        self.init(sectionName, name, defaultValue, .convertible(Value.self), isSecret: isSecret)
    }

    /// Creates a key for a type that is decoded; see ``ActiveConfigSection/decode(_:forKey:)`` for the
    /// rules.
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - name: The setting's name in the section.
    ///   - defaultValue: The value when there is none, or none of the type.
    ///   - isSecret: True to mask the setting's values; see ``isSecret``.
    public init(
        _ sectionName: String, _ name: String, default defaultValue: Value, isSecret: Bool = false
    ) where Value: Decodable {
        self.init(sectionName, name, defaultValue, .decodable(Value.self), isSecret: isSecret)
    }

    /// Creates a key for a type that can be decoded, and says itself how it is read, which counts.
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - name: The setting's name in the section.
    ///   - defaultValue: The value when there is none, or none of the type.
    ///   - isSecret: True to mask the setting's values; see ``isSecret``.
    public init(
        _ sectionName: String, _ name: String, default defaultValue: Value, isSecret: Bool = false
    ) where Value: SettingConvertible & Decodable {
        self.init(sectionName, name, defaultValue, .convertible(Value.self), isSecret: isSecret)
    }

    /// Unavailable: the type says neither how it is read nor how it is decoded.
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - name: The setting's name in the section.
    ///   - defaultValue: The value when there is none, or none of the type.
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
            SettingPath(sectionName, name), type: Value.self, reader: reader, isSecret: isSecret)
    }
}

extension SettingKey: CustomStringConvertible {
    /// The section and the name, such as `Checkout.isOn`.
    public var description: String { path.description }
}
