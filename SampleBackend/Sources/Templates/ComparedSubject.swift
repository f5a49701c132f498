import Foundation
public import JSONTree

/// A setting or a condition, as comparisons of two templates list it.
public enum ComparedSubject: Sendable, Hashable {
    case setting(SettingPlace)
    /// A condition by its name.
    case condition(ExactText)

    /// `{"section": "Home", "key": "title"}` or `{"condition": "beta"}`.
    public var json: JSONNode {
        switch self {
        case .setting(let place): place.json
        case .condition(let name): ["condition": .string(name.text)]
        }
    }

    /// The name in messages, such as `Home.title` or `the condition beta`.
    public var shownName: String {
        switch self {
        case .setting(let place): "\(place.section.text).\(place.key.text)"
        case .condition(let name): "the condition \(name.text)"
        }
    }
}

extension RemoteConfigTemplate {
    /// What decides values in a setting or a condition, by the names of ``TemplateDiff/Part``; nil when
    /// the template does not have it.
    ///
    /// Without descriptions, owner, tags and colours, and without the order of conditions.
    public func deciding(_ subject: ComparedSubject) -> JSONNode? {
        var parts: NamedValues<JSONNode>
        let describing: [String]
        switch subject {
        case .setting(let place):
            guard let parameter = sections[place.section]?[place.key] else { return nil }
            (parts, describing) = (parameter.parts, TemplateParameter.describingPartNames)
        case .condition(let name):
            guard let condition = conditions.first(where: { name == ExactText($0.name) }) else {
                return nil
            }
            (parts, describing) = (condition.parts, TemplateCondition.describingPartNames)
        }
        parts.removeAll { describing.contains($0.key) }
        var node = JSONNode.emptyObject
        for (name, value) in parts { node.setMember(name, value) }
        return node.sortingMembers
    }
}

extension JSONNode {
    /// The node with the members of all objects sorted, as their order does not count in a comparison.
    fileprivate var sortingMembers: JSONNode {
        if let members = objectValue {
            return JSONNode(
                sorting: members.lazy.map { (key: $0.key, value: $0.value.sortingMembers) })
        }
        return arrayValue.map { .array($0.map(\.sortingMembers)) } ?? self
    }
}

extension TemplateDiff {
    /// The differences of which some are intended.
    public struct Partition: Sendable, Hashable {
        /// The differences that are not intended.
        public let open: TemplateDiff
        /// Those that are.
        public let intended: TemplateDiff
    }

    /// Separates the differences that are intended from the others.
    ///
    /// A section that only one template has is intended if all of its settings are. A condition that is
    /// intended and has moved, too, is in both: its position is not intended.
    public func separating(_ intended: Set<ComparedSubject>) -> Partition {
        func isIntended(_ parameter: ParameterDifference) -> Bool {
            intended.contains(
                .setting(SettingPlace(section: parameter.section, key: parameter.key)))
        }
        let moved = conditions.compactMap { condition -> ConditionDifference? in
            guard intended.contains(.condition(ExactText(condition.name))) else { return condition }
            let parts = condition.parts.filter { $0.name == "position" }
            guard !parts.isEmpty else { return nil }
            return ConditionDifference(name: condition.name, change: condition.change, parts: parts)
        }
        let marked = conditions.filter { intended.contains(.condition(ExactText($0.name))) }.map {
            ConditionDifference(
                name: $0.name, change: $0.change, parts: $0.parts.filter { $0.name != "position" })
        }
        let open = parameters.filter { !isIntended($0) }
        let openSections = open.map(\.section).exactNames
        let intendedSections = parameters.filter(isIntended).map(\.section).exactNames
        func isIntendedGroup(_ group: GroupDifference) -> Bool {
            group.change != .changed && intendedSections.contains(name: group.name)
                && !openSections.contains(name: group.name)
        }
        return Partition(
            open: TemplateDiff(
                conditions: moved, groups: groups.filter { !isIntendedGroup($0) },
                parameters: open),
            intended: TemplateDiff(
                conditions: marked, groups: groups.filter(isIntendedGroup),
                parameters: parameters.filter(isIntended)))
    }

    private init(
        conditions: [ConditionDifference], groups: [GroupDifference],
        parameters: [ParameterDifference]
    ) {
        self.conditions = conditions
        self.groups = groups
        self.parameters = parameters
    }
}
