public import JSONTree
import OrderedCollections

extension TemplateDiff {
    /// Returns the sections that can differ for some user between two templates.
    ///
    /// These are added or removed sections, sections with a changed parameter, and sections with a
    /// parameter that has a value for a changed condition or for conditions whose order changed.
    /// Descriptions, owners, tags and colours are ignored: they do not affect users.
    ///
    /// - Parameters:
    ///   - old: The template before.
    ///   - new: The template after.
    /// - Returns: The names, sorted.
    public static func changedSections(
        from old: RemoteConfigTemplate, to new: RemoteConfigTemplate
    ) -> [String] {
        let diff = TemplateDiff(from: old, to: new)
        var names = diff.groups.filter { $0.change != .changed }.map(\.name).exactNames
        for parameter in diff.parameters
        where parameter.change != .changed
            || parameter.changesValues
        {
            names.insert(ExactText(parameter.section))
        }
        let conditions = ChangedConditions(diff, from: old, to: new)
        guard !conditions.isEmpty else { return names.sortedByBytes() }
        for (name, parameters) in [old.sections, new.sections].joined()
        where !names.contains(name: name)
            && parameters.values.contains(where: conditions.affect)
        {
            names.insert(ExactText(name))
        }
        return names.sortedByBytes()
    }

    /// Returns the settings that are equal in two templates, except perhaps for description, owner,
    /// tags and permanence, but can have different values for some user, because a condition with a
    /// value differs, or the order of such conditions.
    ///
    /// Archived settings have no values.
    ///
    /// - Parameters:
    ///   - old: The template before.
    ///   - new: The template after.
    ///   - intended: Conditions and settings whose differences do not count, except for the order of
    ///     conditions.
    /// - Returns: The settings, in the order of the new template.
    public static func affectedSettings(
        from old: RemoteConfigTemplate, to new: RemoteConfigTemplate,
        except intended: Set<ComparedSubject> = []
    ) -> [SettingPlace] {
        let diff = TemplateDiff(from: old, to: new)
        let conditions = ChangedConditions(
            diff.separating(intended).open, from: old, to: new)
        guard !conditions.isEmpty else { return [] }
        let changed = Set(
            diff.parameters.lazy.filter {
                $0.change != .changed || $0.changesValues
            }.map { SettingPlace(section: $0.section, key: $0.key) })
        return new.sections.flatMap { section, parameters in
            parameters.lazy.filter { !$0.value.isArchived && conditions.affect($0.value) }
                .map { SettingPlace(section: section, key: $0.key) }
                .filter { !changed.contains($0) && !intended.contains(.setting($0)) }
        }
    }
}

extension TemplateDiff.ParameterDifference {
    /// True when a part differs that can decide a value.
    fileprivate var changesValues: Bool {
        parts.contains { !TemplateParameter.describingPartNames.contains($0.name) }
    }
}

/// A setting by the bytes of its names.
public struct SettingPlace: Sendable, Hashable {
    /// The section.
    public let section: ExactText

    /// The key of the parameter.
    public let key: ExactText

    /// Creates a place.
    public init(section: String, key: String) {
        self.section = ExactText(section)
        self.key = ExactText(key)
    }

    /// `{"section": "Home", "key": "title"}`.
    public var json: JSONNode {
        ["section": .string(section.text), "key": .string(key.text)]
    }
}

/// The conditions that decide differently in two templates, by themselves or by their order.
private struct ChangedConditions {
    private let names: Set<ExactText>

    /// Nil when the order is the same.
    private let orders: (old: ConditionOrder, new: ConditionOrder)?

    init(_ diff: TemplateDiff, from old: RemoteConfigTemplate, to new: RemoteConfigTemplate) {
        let isReordered = diff.conditions.contains { $0.parts.contains { $0.name == "position" } }
        names =
            diff.conditions.filter { condition in
                condition.change != .changed
                    || condition.parts.contains {
                        $0.name != "position"
                            && !TemplateCondition.describingPartNames.contains($0.name)
                    }
            }.map(\.name).exactNames
        orders = isReordered ? (ConditionOrder(of: old), ConditionOrder(of: new)) : nil
    }

    var isEmpty: Bool { names.isEmpty && orders == nil }

    /// True when the value of a parameter can differ, although the parameter does not.
    func affect(_ parameter: TemplateParameter) -> Bool {
        parameter.conditionalValues.keys.contains(where: names.contains)
            || orders.map { $0.old.names(of: parameter) != $0.new.names(of: parameter) } ?? false
    }
}

/// The positions of a template's conditions.
private struct ConditionOrder {
    private let positions: [ExactText: Int]

    init(of template: RemoteConfigTemplate) {
        positions = Dictionary(
            template.conditions.enumerated().map { (ExactText($1.name), $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The conditions for which a parameter has a value, in descending priority.
    func names(of parameter: TemplateParameter) -> [ExactText] {
        guard parameter.conditionalValues.count > 1 else { return [] }
        return parameter.conditionalValues.keys.compactMap { name in
            positions[name].map { (name, $0) }
        }.sorted { $0.1 < $1.1 }.map(\.0)
    }
}

extension TemplateDiff {
    /// A line of the differences, as text for people.
    public struct Line: Sendable, Hashable {
        /// The role of a line.
        public enum Kind: Sendable, Hashable {
            /// The heading of the following lines.
            case heading(Change)
            /// The removed or old state.
            case old
            case new
        }

        /// The role of the line.
        public let kind: Kind

        /// The line, preceded by a mark: `+`, `-` or `~`.
        public let text: String
    }

    /// The differences as lines, for a terminal.
    public var lines: [Line] {
        let conditions = conditions.map { ("condition \($0.name)", $0.change, $0.parts) }
        let groups = groups.map { ("group \($0.name)", $0.change, $0.parts) }
        let parameters = parameters.map { ("\($0.section).\($0.key)", $0.change, $0.parts) }
        return (conditions + groups + parameters).flatMap { name, change, parts in
            [Line(kind: .heading(change), text: "\(change.mark) \(name)")]
                + parts.flatMap { part in
                    [
                        part.old.map {
                            Line(kind: .old, text: "    - \(part.name): \($0.shortText)")
                        },
                        part.new.map {
                            Line(kind: .new, text: "    + \(part.name): \($0.shortText)")
                        },
                    ].compactMap { $0 }
                }
        }
    }
}

extension TemplateDiff.Change {
    fileprivate var mark: String {
        switch self {
        case .added: "+"
        case .removed: "-"
        case .changed: "~"
        }
    }
}

extension JSONNode {
    /// The value for people: only the text for `{"value": "x"}`.
    fileprivate var shortText: String {
        if case .object(let members) = self, members.count == 1, let text = members["value"] {
            return text.description
        }
        return description
    }
}
