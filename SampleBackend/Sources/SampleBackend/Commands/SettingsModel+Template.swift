import ActiveConfig
import ActiveConfigGeneration
import JSONTree
import OrderedCollections
import Rendering
import Templates

extension SettingsModel {
    /// Creates the model of a template: a section for each group, and a setting for each parameter
    /// that clients receive.
    ///
    /// A setting's default is its value when no condition is true; its type fits all of its values.
    /// A setting without a default value has an optional type.
    init(_ compiled: CompiledTemplate, accessLevel: AccessLevel) throws(SettingsModelError) {
        let template = compiled.template
        self.init(sections: [:], accessLevel: accessLevel)
        for (name, parameters) in template.withoutArchivedParameters.sections {
            var section = Section(description: template.parameterGroups[name]?.description)
            for (key, parameter) in parameters where !parameter.isMasterKeyOnly {
                let values = compiled.values(forKey: key, inSection: name)
                let type = Self.type(of: parameter, values: values.possible.map(\.settingValue))
                let defaultValue = values.default?.settingValue
                section.settings[key] = try Setting(
                    default: defaultValue ?? .null,
                    type: defaultValue == nil ? .optional(type) : type,
                    description: parameter.description)
            }
            sections[name] = section
        }
    }

    private static func type(
        of parameter: TemplateParameter, values: [SettingValue]
    ) -> SettingType {
        switch parameter.valueType ?? .string {
        case .string: .string
        case .boolean: .bool
        case .number: values.isEmpty ? .double : SettingType(ofAll: values)
        case .json: SettingType(ofAll: values)
        }
    }
}
