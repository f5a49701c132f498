import Foundation

/// Reads dictionaries of `Any`, as returned by `JSONSerialization` and property lists.
struct DictionaryReader {
    /// The form of an integer beyond `Int` and within `UInt64`.
    enum LargeIntegerForm {
        /// The nearest double, as in a document (FORMAT 4.1).
        case double
        /// Text, as ``SettingEncoder`` writes it.
        case text
    }

    let limits: ConfigurationLimits
    var largeIntegerForm = LargeIntegerForm.double

    func read(_ dictionary: [String: Any]) throws(ConfigurationFormatError) -> ConfigurationState {
        guard let meta = dictionary["meta"] as? [String: Any] else {
            throw missing("meta", .metaMissing, isThere: dictionary["meta"] != nil)
        }
        guard let sections = dictionary["config_sections"] as? [String: Any] else {
            throw missing(
                "config_sections", .sectionsMissing, isThere: dictionary["config_sections"] != nil)
        }
        var state = ConfigurationState(
            meta: try values(of: meta, at: "meta", depth: 2), sections: [:])
        try FormatVersion.check(state.meta)
        var allowance = ShapeProblem.Allowance()
        for (name, section) in sections {
            state.sections[name] = try readSection(
                section, at: "config_sections.\(name)", &allowance)
        }
        return state
    }

    /// FORMAT 3.2, 3.3.
    private func readSection(
        _ section: Any, at path: String, _ allowance: inout ShapeProblem.Allowance
    ) throws(ConfigurationFormatError) -> ActiveConfigSection {
        guard let members = section as? [String: Any] else {
            return ActiveConfigSection(.section(kind(of: section)), &allowance)
        }
        guard let settings = members["settings"] else {
            return ActiveConfigSection(.noSettings, &allowance)
        }
        guard let settings = settings as? [String: Any] else {
            return ActiveConfigSection(.settings(kind(of: settings)), &allowance)
        }
        var values: [String: SettingValue] = [:]
        var problems: [ShapeProblem] = []
        for (key, setting) in settings {
            let members = setting as? [String: Any]
            if let value = members?["value"] {
                let (value, digits) = try self.value(
                    value, at: "\(path).settings.\(key).value", depth: 6)
                values[key] = value
                if let digits, allowance.takeRounded() {
                    problems.append(.rounded(key, value, digits: digits))
                }
            } else if allowance.take() {
                problems.append(
                    members == nil ? .setting(key, kind(of: setting)) : .noValue(key))
            }
        }
        return ActiveConfigSection(NameTable(values), shapeProblems: problems)
    }

    /// For a message, such as "a string".
    func kind(of any: Any) -> String {
        if any is [Any] { return "an array" }
        let value = try? scalar(any, "", [], levels: limits.maximumDepth)
        return value?.kindInJSON ?? "a value of the type \(type(of: any))"
    }

    private struct OpenContainer {
        /// The key is nil in an array.
        var members: [(key: String?, value: Any)]
        /// Number of members read so far.
        var count = 0
        var elements: [SettingValue] = []
        var object: [String: SettingValue] = [:]
        let isObject: Bool

        /// Adds the value of the member that was read last.
        mutating func add(_ item: SettingValue) {
            if let key = members[count - 1].key {
                object[key] = item
            } else {
                elements.append(item)
            }
        }

        var value: SettingValue { isObject ? .object(object) : .array(elements) }
    }

    /// Converts a value whose outermost array or object is at `depth`.
    ///
    /// Open containers are in an array: recursion could overflow the stack.
    ///
    /// - Returns: The value, and the digits of one of its integers beyond `Int`, the same one for
    ///   equal values.
    private func value(
        _ any: Any, at path: String, depth: Int
    ) throws(ConfigurationFormatError) -> (value: SettingValue, largeInteger: String?) {
        var open: [OpenContainer] = []
        var next: Any? = any
        var largeInteger: String?
        while true {
            var finished: SettingValue?
            if let any = next {
                if let container = Self.container(any) {
                    guard depth + open.count <= limits.maximumDepth else {
                        throw tooDeep(at: Self.path(path, open))
                    }
                    open.append(container)
                } else {
                    finished = try scalar(
                        any, path, open, levels: limits.maximumDepth + 1 - depth)
                    if case .double? = finished, let digits = (any as? NSNumber)?.largeInteger,
                        // Foundation's `doubleValue` of a decimal number is not always the nearest.
                        let nearest = Double(digits)
                    {
                        finished = .double(nearest)
                        largeInteger = min(largeInteger ?? digits, digits)
                    }
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
            guard var container = open.popLast() else { return (finished, largeInteger) }
            container.add(finished)
            open.append(container)
        }
    }

    private static func container(_ any: Any) -> OpenContainer? {
        // Data and strings of a property list must not bridge to arrays.
        if any is SettingValue || any is String || any is Data { return nil }
        if let elements = any as? [Any] {
            return OpenContainer(members: elements.map { (nil, $0) }, isObject: false)
        }
        if let members = any as? [String: Any] {
            return OpenContainer(members: members.map { ($0.key, $0.value) }, isObject: true)
        }
        return nil
    }

    /// `levels` is the nesting limit of a ``SettingValue`` outside of all open containers.
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
        case let date as Date:
            guard let text = SettingText.text(of: date) else {
                throw ConfigurationFormatError(
                    .unsupportedValue, reason: "a date is not of the years 0 to 9999",
                    path: Self.path(path, open))
            }
            return .string(text)
        case let data as Data: return .string(data.base64EncodedString())
        default:
            throw ConfigurationFormatError(
                .unsupportedValue,
                reason: "a \(type(of: any)) has no place in a configuration; use a string, number, "
                    + "boolean, date, data, array or dictionary with string keys",
                path: Self.path(path, open))
        }
    }

    private static func path(_ start: String, _ open: [OpenContainer]) -> String {
        open.reduce(into: start) { path, container in
            let member = container.members[container.count - 1]
            path += member.key.map { path.isEmpty ? $0 : ".\($0)" } ?? "[\(container.count - 1)]"
        }
    }

    /// The values of an object that is at `depth`.
    func values(
        of members: [String: Any], at path: String, depth: Int
    ) throws(ConfigurationFormatError) -> [String: SettingValue] {
        try value(members, at: path, depth: depth).value.dictionaryValue ?? [:]
    }

    /// Keeps the kind of the number: `v as? Bool` would be true for 1.
    private func number(
        _ number: NSNumber, at path: @autoclosure () -> String
    ) throws(ConfigurationFormatError) -> SettingValue {
        if number.isBoolean { return .bool(number.boolValue) }
        if let integer = number.integer { return .integer(integer) }
        if largeIntegerForm == .text, !number.isFloatingPoint, let integer = UInt64(exactly: number)
        {
            return .string("\(integer)")
        }
        guard number.doubleValue.isFinite else {
            throw ConfigurationFormatError(
                .numberOutOfRange,
                reason: "the number \(number) is not finite; JSON has no text for it",
                path: path())
        }
        return .double(number.doubleValue)
    }

    private func tooDeep(at path: String) -> ConfigurationFormatError {
        ConfigurationFormatError(
            .tooDeep,
            reason: "arrays and objects are nested deeper than \(limits.maximumDepth); flatten the "
                + "value",
            path: path)
    }

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

/// Kind of an `NSNumber`, which its conversions hide.
extension NSNumber {
    /// Booleans have a class of their own.
    var isBoolean: Bool { type(of: self) == type(of: NSNumber(value: true)) }

    /// True also for a whole value of a floating-point type; a whole decimal number is an integer.
    var isFloatingPoint: Bool {
        if self is NSDecimalNumber { return Int(description) == nil }
        return unsafe ["f", "d"].contains(String(cString: objCType))
    }

    /// An integer that fits `Int`; nil for any other number.
    ///
    /// A decimal number via its text: Foundation's conversion rounds near the end of the range.
    fileprivate var integer: Int? {
        if self is NSDecimalNumber { return Int(description) }
        return isFloatingPoint ? nil : Int(exactly: self)
    }

    /// The digits of an integer beyond `Int`; nil for any other number.
    fileprivate var largeInteger: String? {
        guard self is NSDecimalNumber || !isFloatingPoint && !isBoolean else { return nil }
        let text = description
        return NumberText.isLargeInteger(text) ? text : nil
    }
}
