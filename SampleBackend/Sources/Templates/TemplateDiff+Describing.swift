import JSONTree
import OrderedCollections

extension TemplateDiff {
    /// Returns the sections that can differ for some user between two templates.
    ///
    /// These are added or removed sections, sections with a changed parameter, and sections with a
    /// parameter that has a value for a changed condition or for conditions whose order changed.
    /// Descriptions and colours are ignored: they do not affect users.
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
            || parameter.parts.contains(where: { $0.name != "description" })
        {
            names.insert(ExactText(parameter.section))
        }
        let isReordered = diff.conditions.contains { $0.parts.contains { $0.name == "position" } }
        let conditions = diff.conditions.filter { condition in
            condition.change != .changed
                || condition.parts.contains { !["tagColor", "position"].contains($0.name) }
        }.map(\.name).exactNames
        guard isReordered || !conditions.isEmpty else { return names.sortedByBytes() }
        let oldOrder = ConditionOrder(of: isReordered ? old : nil)
        let newOrder = ConditionOrder(of: isReordered ? new : nil)
        for (name, parameters) in [old.sections, new.sections].joined()
        where !names.contains(name: name)
            && parameters.values.contains(where: { parameter in
                parameter.conditionalValues.keys.contains(where: conditions.contains)
                    || oldOrder.names(of: parameter) != newOrder.names(of: parameter)
            })
        {
            names.insert(ExactText(name))
        }
        return names.sortedByBytes()
    }
}

/// The positions of a template's conditions.
private struct ConditionOrder {
    private let positions: [ExactText: Int]

    init(of template: RemoteConfigTemplate?) {
        positions = Dictionary(
            (template?.conditions ?? []).enumerated().map { (ExactText($1.name), $0) },
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
