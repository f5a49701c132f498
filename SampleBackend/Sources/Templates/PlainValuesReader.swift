import JSONTree

/// Reads plain values, such as Parse's parameters or the settings of a configuration document, as
/// parameters, and adds a remark for each change.
///
/// A string becomes a `STRING`, `true` and `false` a `BOOLEAN`, a number a `NUMBER`, and anything
/// else `JSON`.
struct PlainValuesReader {
    /// Problems that prevent the import.
    var found = ProblemCollector()

    var report = ImportReport()

    /// The value that becomes a parameter.
    struct Source {
        let name: String
        let value: JSONNode
        let path: TemplatePath
    }

    /// Reads values by name, and renames those whose name is not a valid key.
    ///
    /// - Parameters:
    ///   - values: The values.
    ///   - path: The path of the values.
    ///   - finish: Completes each parameter and adds remarks.
    /// - Returns: The parameters by key.
    mutating func readParameters(
        _ values: NamedValues<JSONNode>, _ path: TemplatePath,
        finish: (inout TemplateParameter, Source, inout ImportReport) -> Void = { _, _, _ in }
    ) -> NamedValues<TemplateParameter> {
        guard checkCount(values.count, path) else { return [:] }
        let places = values.map { (name: $0.key, path: path.member($0.key)) }
        var parameters: NamedValues<TemplateParameter> = [:]
        for (key, (name, value)) in zip(keys(for: places), values) {
            let path = path.member(name)
            var parameter = readValue(value, path)
            finish(&parameter, Source(name: name, value: value, path: path), &report)
            parameters[key] = parameter
        }
        return parameters
    }

    /// Reports a file with more parameters than a template can have; returns false for one.
    mutating func checkCount(_ count: Int, _ path: TemplatePath) -> Bool {
        let limit = TemplateLimits.default.maximumParameters
        guard count > limit else { return true }
        found.add(path, "it has \(count) parameters; import at most \(limit)")
        return false
    }

    /// Reports an invalid name under the option that gave it.
    mutating func checkSectionName(_ name: String) {
        found.checkLength(
            of: name, TemplatePath.root.member("section"),
            TemplateLimits.default.maximumNameLength)
    }

    /// The keys of parameters, all different, with a remark for each that differs from its name.
    mutating func keys(for parameters: [(name: String, path: TemplatePath)]) -> [String] {
        // Valid keys stay as they are, so only new names must avoid them.
        var freeKeys = FreeKeys(besides: parameters.lazy.map(\.name).filter(Self.isKey))
        return parameters.map { key(for: $0.name, &freeKeys, $0.path) }
    }

    /// True when a name is a valid key.
    private static func isKey(_ name: String) -> Bool {
        ParameterKey.isValid(name) && name.utf8.count <= TemplateLimits.default.maximumNameLength
    }

    /// The key of a parameter: its name, or an unused one derived from it.
    private mutating func key(
        for name: String, _ freeKeys: inout FreeKeys, _ path: TemplatePath
    ) -> String {
        if Self.isKey(name) { return name }
        let key = freeKeys.take(nearest: ParameterKey(nearest: name, maximumLength: 240).text)
        report.add(
            path,
            "it is renamed to \(key), since a key has only letters, digits and \"_\", and at most "
                + "\(TemplateLimits.default.maximumNameLength) characters; read that key in the app",
            on: .names)
        return key
    }

    /// Reads a value as the default of a parameter.
    mutating func readValue(_ value: JSONNode, _ path: TemplatePath) -> TemplateParameter {
        switch value {
        case .string(let text):
            if text.namesUser { report.addUserPlaceholder(path) }
            return TemplateParameter(defaultValue: .value(text), valueType: .string)
        case .bool, .number:
            let isNumber = value.boolValue == nil
            return TemplateParameter(
                defaultValue: .value(value.description), valueType: isNumber ? .number : .boolean)
        case .null:
            report.add(path, "null has no type of its own; it is kept as JSON")
        case .array, .object: break
        }
        return TemplateParameter(defaultValue: .value(value.description), valueType: .json)
    }
}

extension RemoteConfigTemplate {
    /// A template with parameters in one section.
    init(
        conditions: [TemplateCondition] = [], parameters: NamedValues<TemplateParameter>,
        inSection name: String
    ) {
        if name.hasSameBytes(as: Self.defaultSectionName) {
            self.init(conditions: conditions, parameters: parameters)
        } else {
            self.init(
                conditions: conditions,
                parameterGroups: [name: ParameterGroup(parameters: parameters)])
        }
    }
}

/// Derives keys from names, all different.
struct FreeKeys {
    private var taken: Set<ExactText>

    /// The next number to try for each used key.
    private var nextNumbers: [ExactText: Int] = [:]

    /// Number of tried keys.
    ///
    /// Linear in the number of keys: a used key is tried again for only one other key, the one
    /// without the number.
    private(set) var attemptCount = 0

    /// Creates keys that also differ from other keys.
    init(besides others: some Sequence<String>) {
        taken = others.exactNames
    }

    /// The key itself, or the key followed by the first unused number.
    mutating func take(nearest stem: String) -> String {
        var key = stem
        var number = nextNumbers[ExactText(stem)] ?? 1
        if number > 1 { key = "\(stem)_\(number)" }
        attemptCount += 1
        while !taken.insert(ExactText(key)).inserted {
            number += 1
            key = "\(stem)_\(number)"
            attemptCount += 1
        }
        nextNumbers[ExactText(stem)] = number + 1
        return key
    }
}
