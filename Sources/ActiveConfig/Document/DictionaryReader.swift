import Foundation

/// A reader of what `JSONSerialization` and property lists give: dictionaries of `Any`.
struct DictionaryReader {
    /// What the dictionary may not exceed.
    let limits: ConfigurationLimits

    /// Reads a document.
    ///
    /// - Throws: what is wrong, with the path.
    func read(_ dictionary: [String: Any]) throws(ConfigurationFormatError) -> ConfigurationState {
        guard let meta = dictionary["meta"] as? [String: Any] else {
            throw missing("meta", .metaMissing, isThere: dictionary["meta"] != nil)
        }
        guard let sections = dictionary["config_sections"] as? [String: Any] else {
            throw missing(
                "config_sections", .sectionsMissing, isThere: dictionary["config_sections"] != nil)
        }
        var state = ConfigurationState(meta: try object(meta, at: "meta", depth: 2), sections: [:])
        try FormatVersion.check(state.meta)
        for (name, section) in sections {
            state.sections[name] = try readSection(section, at: "config_sections.\(name)")
        }
        return state
    }

    /// Reads a section (FORMAT 3.2, 3.3).
    private func readSection(
        _ section: Any, at path: String
    ) throws(ConfigurationFormatError) -> ActiveConfigSection {
        guard let section = section as? [String: Any],
            let settings = section["settings"] as? [String: Any]
        else { return ActiveConfigSection() }
        var values: [String: SettingValue] = [:]
        for (key, setting) in settings {
            guard let setting = setting as? [String: Any], let value = setting["value"] else {
                continue
            }
            values[key] = try self.value(value, at: "\(path).settings.\(key).value", depth: 6)
        }
        return ActiveConfigSection(settings: values)
    }

    /// The value that `any` is.
    ///
    /// An array or object in it has `depth`.
    private func value(
        _ any: Any, at path: String, depth: Int
    ) throws(ConfigurationFormatError) -> SettingValue {
        switch any {
        case let value as SettingValue: return value
        case is NSNull: return .null
        case let number as NSNumber: return try self.number(number, at: path)
        case let string as String: return .string(string)
        case let date as Date: return .string(SettingText.text(of: date))
        case let data as Data: return .string(data.base64EncodedString())
        case let elements as [Any]:
            try check(depth, at: path)
            var values: [SettingValue] = []
            for (index, element) in elements.enumerated() {
                values.append(try value(element, at: "\(path)[\(index)]", depth: depth + 1))
            }
            return .array(values)
        case let members as [String: Any]:
            return .object(try object(members, at: path, depth: depth))
        default:
            throw ConfigurationFormatError(
                .unsupportedValue,
                reason: "a \(type(of: any)) has no place in a configuration; use a string, number, "
                    + "boolean, date, data, array or dictionary with string keys",
                path: path)
        }
    }

    /// The values of a dictionary.
    private func object(
        _ members: [String: Any], at path: String, depth: Int
    ) throws(ConfigurationFormatError) -> [String: SettingValue] {
        try check(depth, at: path)
        var values: [String: SettingValue] = [:]
        for (key, member) in members {
            values[key] = try value(member, at: "\(path).\(key)", depth: depth + 1)
        }
        return values
    }

    /// The value that a number object, or a number of Swift, is: `v as? Bool` would be true for 1.
    private func number(
        _ number: NSNumber, at path: String
    ) throws(ConfigurationFormatError) -> SettingValue {
        if number.isBoolean { return .bool(number.boolValue) }
        if !number.isFloatingPoint, let integer = Int(exactly: number) {
            return .integer(integer)
        }
        guard number.doubleValue.isFinite else {
            throw ConfigurationFormatError(
                .numberOutOfRange,
                reason: "the number \(number) is not finite; JSON has no text for it",
                path: path)
        }
        return .double(number.doubleValue)
    }

    /// Throws when an array or object at `path` is too deep.
    private func check(_ depth: Int, at path: String) throws(ConfigurationFormatError) {
        if depth > limits.maximumDepth {
            throw ConfigurationFormatError(
                .tooDeep,
                reason: "arrays and objects are nested deeper than \(limits.maximumDepth); flatten "
                    + "the value",
                path: path)
        }
    }

    /// The error that a required object is not one, or not there.
    private func missing(
        _ name: String, _ code: ConfigurationFormatError.Code, isThere: Bool
    ) -> ConfigurationFormatError {
        ConfigurationFormatError(
            code,
            reason: isThere
                ? "\"\(name)\" is not an object; make it one"
                : "\"\(name)\" is missing; add it to the document, as an object",
            path: isThere ? name : "")
    }
}
