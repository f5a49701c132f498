/// Reads settings of the current user, of any other user, or of a snapshot.
///
/// ```swift
/// func columns(_ settings: some SettingsReading) -> Int { settings[.columns] }
/// ```
///
/// Precedence: override, active document, in-app default, the default of the key or type.
public protocol SettingsReading: Sendable {
    /// The configuration as it is now.
    var snapshot: ConfigurationSnapshot { get }

    /// The value of a setting, or the key's default.
    ///
    /// A value of another type is skipped, logged once per configuration, and listed in
    /// ``ConfigurationDiagnostics/problems``.
    subscript<Value>(key: SettingKey<Value>) -> Value { get }

    /// The section of that name, or nil.
    ///
    /// A section is immutable.
    subscript(sectionName: String) -> ActiveConfigSection? { get }
}

extension SettingsReading {
    /// The value of a setting, or the key's default.
    ///
    /// A value of another type is skipped, logged once per configuration, and listed in
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
    /// Decoded once per configuration, at the first read. An absent setting has the type's own
    /// default. So has one whose value is of another type, unless a lower layer has a value; the
    /// other settings are unaffected. ``ConfigurationDiagnostics/problems`` and the log list each
    /// value of another type by its path.
    ///
    /// - Parameter type: The type, which names its section.
    /// - Returns: The section, or the type's defaults when there is none.
    public func section<Section: SettingsSection>(_ type: Section.Type) -> Section {
        let snapshot = snapshot
        return snapshot.config.section(type, in: snapshot.contents)
    }

    /// Explains values and lists the problems of the configuration.
    public var diagnostics: ConfigurationDiagnostics {
        ConfigurationDiagnostics(snapshot: snapshot)
    }
}
