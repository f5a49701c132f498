/// Reading settings: of the current user, of any other, or of a snapshot.
///
/// ```swift
/// func columns(_ settings: some SettingsReading) -> Int { settings[.columns] }
/// ```
///
/// An override comes first, then the active document, then the in-app defaults, then the default of the key
/// or the type.
public protocol SettingsReading: Sendable {
    /// The configuration as it is now.
    var snapshot: ConfigurationSnapshot { get }

    /// The value of a setting, or the key's default.
    ///
    /// A value of another type is passed over, logged once per configuration, and named in
    /// ``ConfigurationDiagnostics/problems``.
    subscript<Value>(key: SettingKey<Value>) -> Value { get }

    /// The section of that name, or nil.
    ///
    /// A section does not change when the configuration does.
    subscript(sectionName: String) -> ActiveConfigSection? { get }
}

extension SettingsReading {
    /// The value of a setting, or the key's default.
    ///
    /// A value of another type is passed over, logged once per configuration, and named in
    /// ``ConfigurationDiagnostics/problems``.
    public subscript<Value>(key: SettingKey<Value>) -> Value {
        let snapshot = snapshot
        return snapshot.config.value(of: key, in: snapshot.contents)
    }

    /// The section of that name, or nil.
    public subscript(sectionName: String) -> ActiveConfigSection? {
        snapshot.contents.sections[sectionName]
    }

    /// A whole section, decoded.
    ///
    /// Decoded once per configuration, by the first who asks. A setting that the section lacks has the
    /// type's own default. So has one whose value is of another type, unless there is a lower layer; the
    /// others are not lost. ``ConfigurationDiagnostics/problems`` and the log name each value of another
    /// type, by its path.
    ///
    /// - Parameter type: The type, which names its section.
    /// - Returns: The section, or the type's defaults when there is none.
    public func section<Section: SettingsSection>(_ type: Section.Type) -> Section {
        let snapshot = snapshot
        return snapshot.config.section(type, in: snapshot.contents)
    }

    /// The reasons of values, and the problems of the configuration.
    public var diagnostics: ConfigurationDiagnostics {
        ConfigurationDiagnostics(snapshot: snapshot)
    }
}
