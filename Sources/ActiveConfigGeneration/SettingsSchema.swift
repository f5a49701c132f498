import ActiveConfig
import Foundation

/// Types and descriptions of a document's settings.
struct SettingsSchema {
    struct Section {
        var description: String?
        var settings: [String: Setting] = [:]
    }

    struct Setting {
        /// Nil when it is inferred from the value.
        var type: SettingType?
        var description: String?
    }

    private(set) var accessLevel = SettingsModel.AccessLevel.internal
    private(set) var sections: [String: Section] = [:]

    private let text: Data

    /// Reads a schema; nil is an empty one.
    init(_ text: Data?) throws(SettingsModelError) {
        self.text = text ?? Data()
        guard let text else { return }
        let value: SettingValue
        do throws(ConfigurationFormatError) {
            value = try SettingValue(jsonData: text)
        } catch {
            throw SettingsModelError(error, in: .schema)
        }
        let document = try members(
            of: value, at: DocumentPath(), allowed: ["access_level", "config_sections"])
        if let level = document["access_level"] {
            accessLevel = try readAccessLevel(level)
        }
        let place = DocumentPath(members: "config_sections")
        for (name, section) in try members(
            of: document["config_sections"] ?? [:], at: place
        ).sortedByName {
            sections[name] = try readSection(section, at: place + DocumentPath(members: name))
        }
    }

    private func readAccessLevel(
        _ value: SettingValue
    ) throws(SettingsModelError) -> SettingsModel.AccessLevel {
        if let level = value.stringValue.flatMap(SettingsModel.AccessLevel.init) { return level }
        let levels = SettingsModel.AccessLevel.allCases.map { "\"\($0)\"" }
        throw error(
            "this is no access level; use one of \(levels.joined(separator: ", "))",
            at: DocumentPath(members: "access_level"))
    }

    private func readSection(
        _ value: SettingValue, at place: DocumentPath
    ) throws(SettingsModelError) -> Section {
        let section = try members(of: value, at: place, allowed: ["description", "settings"])
        var result = Section(description: try description(in: section, at: place))
        let place = place + DocumentPath(members: "settings")
        for (name, setting) in try members(
            of: section["settings"] ?? [:], at: place
        ).sortedByName {
            result.settings[name] = try readSetting(
                setting, at: place + DocumentPath(members: name))
        }
        return result
    }

    private func readSetting(
        _ value: SettingValue, at place: DocumentPath
    ) throws(SettingsModelError) -> Setting {
        let setting = try members(of: value, at: place, allowed: ["description", "type"])
        var result = Setting(description: try description(in: setting, at: place))
        if let type = setting["type"] {
            result.type = type.stringValue.flatMap(SettingType.init)
            if result.type == nil {
                throw error(
                    "\(type) is no type; \(SettingType.syntax)",
                    at: place + DocumentPath(members: "type"))
            }
        }
        return result
    }

    private func description(
        in members: [String: SettingValue], at place: DocumentPath
    ) throws(SettingsModelError) -> String? {
        guard let value = members["description"] else { return nil }
        if let text = value.stringValue { return text }
        throw error(
            "it is no string; make it one", at: place + DocumentPath(members: "description"))
    }

    /// The members of an object; names outside of `allowed` are an error unless that is nil.
    private func members(
        of value: SettingValue, at place: DocumentPath, allowed: [String]? = nil
    ) throws(SettingsModelError) -> [String: SettingValue] {
        guard let members = value.dictionaryValue else {
            throw error("it is no object; make it one", at: place)
        }
        let names = members.sortedByName.map(\.key)
        if let allowed, let name = names.first(where: { !allowed.contains($0) }) {
            let names = allowed.map { "\"\($0)\"" }.joined(separator: " and ")
            throw error(
                "a schema has no such member here, only \(names)",
                at: place + DocumentPath(members: name))
        }
        return members
    }

    func error(_ reason: String, at place: DocumentPath) -> SettingsModelError {
        SettingsModelError(
            reason: reason, path: place.description, file: .schema,
            position: place.position(in: text))
    }
}
