public import ActiveConfig

/// Sections with their settings, as Swift declares them.
///
/// ```swift
/// let model = SettingsModel(try ConfigurationState(jsonData: bootstrap))
/// print(model.swiftSource())
/// ```
public struct SettingsModel: Sendable, Hashable {
    /// A section, which becomes a type with a key for each setting.
    public struct Section: Sendable, Hashable {
        /// The type's documentation.
        public var description: String?

        /// The settings by name.
        public var settings: [String: Setting]

        /// Creates a section.
        ///
        /// - Parameters:
        ///   - description: The type's documentation.
        ///   - settings: The settings by name.
        public init(description: String? = nil, settings: [String: Setting] = [:]) {
            self.description = description
            self.settings = settings
        }
    }

    /// A setting, which becomes a key with a type and a default.
    public struct Setting: Sendable, Hashable {
        /// The key's documentation.
        public var description: String?

        /// The type of the key.
        public let type: SettingType

        let defaultValue: SwiftExpression

        /// Creates a setting of the type inferred from its default.
        ///
        /// - Parameters:
        ///   - defaultValue: The default.
        ///   - description: The key's documentation.
        public init(default defaultValue: SettingValue, description: String? = nil) {
            self.description = description
            let type = SettingType(of: defaultValue)
            if let expression = try? SwiftExpression(defaultValue, as: type) {
                self.type = type
                self.defaultValue = expression
            } else {
                self.type = .json
                self.defaultValue = SwiftExpression(defaultValue)
            }
        }

        /// Creates a setting.
        ///
        /// - Parameters:
        ///   - defaultValue: The default.
        ///   - type: The type of the key.
        ///   - description: The key's documentation.
        /// - Throws: ``SettingsModelError`` when the default cannot be read as the type.
        public init(
            default defaultValue: SettingValue, type: SettingType, description: String? = nil
        ) throws(SettingsModelError) {
            do throws(SettingMismatch) {
                try self.init(checked: defaultValue, type: type, description: description)
            } catch {
                throw SettingsModelError(reason: error.reason, path: error.path.description)
            }
        }

        init(
            checked defaultValue: SettingValue, type: SettingType, description: String?
        ) throws(SettingMismatch) {
            self.description = description
            self.type = type
            self.defaultValue = try SwiftExpression(defaultValue, as: type)
        }
    }

    /// The access level of the generated types.
    public enum AccessLevel: String, Sendable, Hashable, CaseIterable {
        /// Visible in the module.
        case `internal`
        /// Visible in the package.
        case package
        /// Visible everywhere.
        case `public`
    }

    /// The sections by name.
    public var sections: [String: Section]

    /// The access level of the generated types.
    public var accessLevel: AccessLevel

    /// Creates a model.
    ///
    /// - Parameters:
    ///   - sections: The sections by name.
    ///   - accessLevel: The access level of the generated types.
    public init(sections: [String: Section], accessLevel: AccessLevel = .internal) {
        self.sections = sections
        self.accessLevel = accessLevel
    }

    /// Creates the model of a configuration; the type of each setting is inferred from its value.
    public init(_ configuration: ConfigurationState) {
        self.init(
            sections: configuration.sections.mapValues { section in
                let settings = section.settingKeys.map { name in
                    (name, Setting(default: section[name] ?? .null))
                }
                return Section(settings: Dictionary(settings, uniquingKeysWith: { $1 }))
            })
    }
}
