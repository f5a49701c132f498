import ActiveConfig
public import Foundation
public import JSONTree

/// The pinned values of one user, by section and key (API 3).
///
/// ```json
/// {"Home": {"title": "x", "count": 3}}
/// ```
public struct OverridesDocument: Sendable, Hashable {
    /// Maximum size of the text, in bytes.
    public static let maximumBytes = 65_536

    /// The values by section and key; any JSON value.
    public let sections: [ExactText: [ExactText: JSONNode]]

    /// Reads pinned values.
    ///
    /// - Parameter jsonData: The text, UTF-8 JSON.
    /// - Throws: ``TemplateValidationError`` with all problems.
    public init(jsonData: Data) throws(TemplateValidationError) {
        guard jsonData.count <= Self.maximumBytes else { throw Self.tooLarge(jsonData.count) }
        var found = ProblemCollector()
        var sections: [ExactText: [ExactText: JSONNode]] = [:]
        do throws(ConfigurationFormatError) {
            let json = try JSONNode(
                jsonData: jsonData,
                limits: ConfigurationLimits(maximumDepth: TemplateLimits.maximumValueDepth + 2))
            for (section, node) in found.object(json, .root) {
                let path = TemplatePath.root.member(section)
                found.checkLength(of: section, path, TemplateLimits.default.maximumNameLength)
                let settings = found.object(node, path)
                for key in settings.names {
                    found.checkLength(
                        of: key, path.member(key), TemplateLimits.default.maximumNameLength)
                }
                sections[ExactText(section)] = settings.reduce(into: [:]) { settings, member in
                    settings[ExactText(member.key)] = member.value.exchangeForm
                }
            }
        } catch {
            throw TemplateValidationError(error)
        }
        guard found.problems.isEmpty else {
            throw TemplateValidationError(problems: found.problems)
        }
        self.sections = sections
        // Count the bytes of the stored form, in which numbers can be longer.
        let count = json.jsonData().count
        guard count <= Self.maximumBytes else { throw Self.tooLarge(count) }
    }

    private init(sections: [ExactText: [ExactText: JSONNode]]) {
        self.sections = sections
    }

    /// Returns the values without those of some settings; nil when no value is left.
    package func without(_ settings: [ExactText: Set<ExactText>]) -> OverridesDocument? {
        guard
            sections.contains(where: { name, values in
                settings[name].map { !$0.isDisjoint(with: values.keys) } ?? false
            })
        else { return self }
        var rest = sections
        for (name, keys) in settings {
            guard let values = rest[name], !keys.isDisjoint(with: values.keys) else { continue }
            let kept = values.filter { !keys.contains($0.key) }
            rest[name] = kept.isEmpty ? nil : kept
        }
        return rest.isEmpty ? nil : OverridesDocument(sections: rest)
    }

    private static func tooLarge(_ count: Int) -> TemplateValidationError {
        TemplateValidationError(problems: [
            TemplateProblem(
                path: "",
                message: "the pinned values have \(count) bytes; use at most \(maximumBytes)")
        ])
    }

    /// Returns the pins of settings that a template lacks, hides from clients or has archived, and
    /// pins with a value of another type.
    ///
    /// - Parameter template: The template to check the pins against.
    /// - Returns: The problems, by section and key.
    public func problems(in template: RemoteConfigTemplate) -> [TemplateProblem] {
        var found = ProblemCollector()
        let known = template.sections
        for (section, settings) in json.objectValue ?? [:] {
            let path = TemplatePath.root.member(section)
            guard let parameters = known[section] else {
                found.add(path, "there is no section of this name; pin settings that exist")
                continue
            }
            for (key, value) in settings.objectValue ?? [:] {
                let path = path.member(key)
                guard let parameter = parameters[key] else {
                    found.add(path, "there is no setting of this name; pin settings that exist")
                    continue
                }
                if parameter.isArchived {
                    found.add(
                        path,
                        "the setting is archived, so the pinned value has no effect until it is restored"
                    )
                } else if parameter.isMasterKeyOnly {
                    found.add(path, "the setting is hidden from clients; pin one that they receive")
                }
                let type = parameter.valueType ?? .string
                if !type.includes(value) {
                    found.add(
                        path,
                        "it is \(value.kindDescription), but the setting is "
                            + type.kindDescription)
                }
            }
        }
        return found.problems
    }

    /// The values as JSON, sections and keys sorted.
    public var json: JSONNode {
        JSONNode(
            sorting: sections.map { section, settings in
                (
                    key: section.text,
                    value: JSONNode(sorting: settings.map { (key: $0.key.text, value: $0.value) })
                )
            })
    }
}

extension ParameterValueType {
    /// The kind of value, as ``JSONNode/kindDescription`` names it.
    fileprivate var kindDescription: String {
        switch self {
        case .string: "a string"
        case .boolean: "a boolean"
        case .number: "a number"
        case .json: "any JSON value"
        }
    }

    /// True when a document can have the value for a setting of this type.
    fileprivate func includes(_ value: JSONNode) -> Bool {
        switch (self, value) {
        case (.string, .string), (.boolean, .bool), (.number, .number), (.json, _): true
        default: false
        }
    }
}
