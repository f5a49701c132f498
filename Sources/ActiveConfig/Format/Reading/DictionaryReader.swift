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

    /// An array or dictionary that is being read.
    private struct OpenContainer {
        /// What is in it, with the keys of a dictionary.
        var members: [(key: String?, value: Any)]
        /// The number of members that are read.
        var count = 0
        /// The values of an array.
        var elements: [SettingValue] = []
        /// The values of a dictionary.
        var object: [String: SettingValue] = [:]
        let isObject: Bool

        /// Takes the value of the member that was read last.
        mutating func add(_ value: SettingValue) {
            if let key = members[count - 1].key {
                object[key] = value
            } else {
                elements.append(value)
            }
        }

        /// The value, when all is read.
        var value: SettingValue { isObject ? .object(object) : .array(elements) }
    }

    /// The value that `any` is.
    ///
    /// An array or object in it has `depth`. What is open is kept in a list, since the stack bounds a
    /// recursion.
    private func value(
        _ any: Any, at path: String, depth: Int
    ) throws(ConfigurationFormatError) -> SettingValue {
        var open: [OpenContainer] = []
        var next: Any? = any
        while true {
            var finished: SettingValue?
            if let any = next {
                if let container = Self.container(any) {
                    guard depth + open.count <= limits.maximumDepth else {
                        throw tooDeep(at: Self.path(path, open))
                    }
                    open.append(container)
                } else {
                    finished = try scalar(any, path, open, levels: limits.maximumDepth + 1 - depth)
                }
                next = nil
            } else if var container = open.popLast() {
                if container.count < container.members.count {
                    next = container.members[container.count].value
                    container.count += 1
                    open.append(container)
                } else {
                    finished = container.value
                }
            }
            guard let finished else { continue }
            guard var container = open.popLast() else { return finished }
            container.add(finished)
            open.append(container)
        }
    }

    /// An array or dictionary before it is read, or nil.
    private static func container(_ any: Any) -> OpenContainer? {
        // A property list's data and strings are no arrays, whatever they bridge to.
        if any is SettingValue || any is String || any is Data { return nil }
        if let elements = any as? [Any] {
            return OpenContainer(members: elements.map { (nil, $0) }, isObject: false)
        }
        if let members = any as? [String: Any] {
            return OpenContainer(members: members.map { ($0.key, $0.value) }, isObject: true)
        }
        return nil
    }

    /// The value that is no array and no dictionary, in those that are open; `levels` is how deep a
    /// ``SettingValue`` at the outermost place may be.
    private func scalar(
        _ any: Any, _ path: String, _ open: [OpenContainer], levels: Int
    ) throws(ConfigurationFormatError) -> SettingValue {
        switch any {
        case let value as SettingValue:
            if value.isNested(deeperThan: levels - open.count) {
                throw tooDeep(at: Self.path(path, open))
            }
            return value
        case is NSNull: return .null
        case let number as NSNumber: return try self.number(number, at: Self.path(path, open))
        case let string as String: return .string(string)
        case let date as Date: return .string(SettingText.text(of: date))
        case let data as Data: return .string(data.base64EncodedString())
        default:
            throw ConfigurationFormatError(
                .unsupportedValue,
                reason: "a \(type(of: any)) has no place in a configuration; use a string, number, "
                    + "boolean, date, data, array or dictionary with string keys",
                path: Self.path(path, open))
        }
    }

    /// The path of what is being read in the containers that are open.
    private static func path(_ start: String, _ open: [OpenContainer]) -> String {
        open.reduce(into: start) { path, container in
            let member = container.members[container.count - 1]
            path += member.key.map { ".\($0)" } ?? "[\(container.count - 1)]"
        }
    }

    /// The values of a dictionary.
    private func object(
        _ members: [String: Any], at path: String, depth: Int
    ) throws(ConfigurationFormatError) -> [String: SettingValue] {
        try value(members, at: path, depth: depth).dictionaryValue ?? [:]
    }

    /// The value that a number object, or a number of Swift, is: `v as? Bool` would be true for 1.
    private func number(
        _ number: NSNumber, at path: @autoclosure () -> String
    ) throws(ConfigurationFormatError) -> SettingValue {
        if number.isBoolean { return .bool(number.boolValue) }
        if !number.isFloatingPoint, let integer = Int(exactly: number) {
            return .integer(integer)
        }
        guard number.doubleValue.isFinite else {
            throw ConfigurationFormatError(
                .numberOutOfRange,
                reason: "the number \(number) is not finite; JSON has no text for it",
                path: path())
        }
        return .double(number.doubleValue)
    }

    /// The error that an array or object at `path` is too deep.
    private func tooDeep(at path: String) -> ConfigurationFormatError {
        ConfigurationFormatError(
            .tooDeep,
            reason: "arrays and objects are nested deeper than \(limits.maximumDepth); flatten the "
                + "value",
            path: path)
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

/// What kind of number an `NSNumber` holds, which its conversions hide.
extension NSNumber {
    /// Whether it is a boolean, not the number 0 or 1: booleans have a class of their own.
    var isBoolean: Bool { type(of: self) == type(of: NSNumber(value: true)) }

    /// Whether it is of a floating-point type, even if its value is whole.
    ///
    /// A decimal number that is whole counts as an integer.
    var isFloatingPoint: Bool {
        if self is NSDecimalNumber { return Int(exactly: self) == nil }
        return unsafe ["f", "d"].contains(String(cString: objCType))
    }
}
