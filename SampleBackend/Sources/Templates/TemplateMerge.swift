public import JSONTree

/// A merge of two people's changes to one template.
///
/// A unit that only one side changed is taken from that side; equal changes do not conflict. The
/// units are a field of a parameter (its default value, each conditional value, type, description,
/// owner, tags as a whole, and so on), a condition, the description of a group, a member that this backend does not know, and the order
/// of conditions. A parameter is one unit if a side added or removed it, or if both its type and
/// its values changed.
///
/// ```swift
/// let merge = TemplateMerge(base: published, mine: edited, theirs: current)
/// for conflict in merge.conflicts { print(conflict.path) }
/// let template = merge.resolving(["parameterGroups.Home.parameters.title": .mine])
/// ```
///
/// Validate the result before publishing it: two valid templates can merge into an invalid one, for
/// example with too many parameters.
public struct TemplateMerge: Sendable {
    /// A side of the merge.
    public enum Side: String, Sendable, Hashable {
        /// The template to publish.
        case mine
        /// The template published in the meantime.
        case theirs
    }

    /// A unit that both sides changed differently.
    public struct Conflict: Sendable, Hashable {
        /// The unit.
        public let subject: Subject

        /// The common original; nil when it did not exist.
        public internal(set) var base: JSONNode?

        /// The value in the template to publish; nil when it does not exist.
        public let mine: JSONNode?

        /// The value published in the meantime; nil when it does not exist.
        public let theirs: JSONNode?

        /// What a choice of the order of conditions decides; nil for other subjects.
        public internal(set) var stakes: Stakes?

        /// The path: `parameters.title`, `conditions.beta`, or `conditions` for their order.
        public var path: String { subject.path.description }

        /// The name of the condition that differs; nil for a conflict about anything else.
        public var conditionName: String? {
            if case .condition(let name) = subject { name } else { nil }
        }
    }

    /// What the order of conditions decides where the sides of a conflict differ.
    public struct Stakes: Sendable, Hashable {
        /// The conditions that change their order with the side and give values of one setting.
        public let conditions: [String]

        /// The settings that have values for these conditions.
        public let settings: [Setting]
    }

    /// A parameter of a template.
    public struct Setting: Sendable, Hashable {
        /// The group; nil outside groups.
        public let group: String?

        /// The key of the parameter.
        public let key: String
    }

    /// The template on which both sides are based.
    public let base: RemoteConfigTemplate

    /// The template to publish.
    public let mine: RemoteConfigTemplate

    /// The template published in the meantime.
    public let theirs: RemoteConfigTemplate

    /// The merged template without a version; each conflict has the published side.
    public let merged: RemoteConfigTemplate

    /// The conflicts: conditions and their order, parameters, groups, then the others.
    public let conflicts: [Conflict]

    private let order: MergedConditionOrder

    /// Merges the changes of two sides.
    ///
    /// - Parameters:
    ///   - base: The template on which both are based.
    ///   - mine: The template to publish.
    ///   - theirs: The template published in the meantime.
    public init(
        base: RemoteConfigTemplate, mine: RemoteConfigTemplate, theirs: RemoteConfigTemplate
    ) {
        self.base = base
        self.mine = mine
        self.theirs = theirs
        let sides = MergeSides(base: base, mine: mine, theirs: theirs)
        var merger = TemplateMerger { _ in .theirs }
        var merged = merger.merge(sides)
        var results = [merged]
        if !merger.conflicts.isEmpty {
            var mines = TemplateMerger { _ in .mine }
            results.append(mines.merge(sides))
        }
        order = MergedConditionOrder(sides.map(\.conditions), results: results)
        merged.conditions = order.sorted(merged.conditions, preferring: .theirs)
        self.merged = merged
        conflicts = [Conflict](of: order, in: sides) + merger.conflicts
    }

    /// Returns the template with a chosen side for each conflict.
    ///
    /// The side that has a condition gives it with all its values; the choice of the side without
    /// it removes the values for the condition.
    ///
    /// - Parameter choices: The side by the path of a conflict; the default is theirs. Paths
    ///   without a conflict are ignored.
    /// - Returns: The template, without a version.
    public func resolving(_ choices: NamedValues<Side>) -> RemoteConfigTemplate {
        var merger = TemplateMerger { choices[$0] ?? .theirs }
        var template = merger.merge(MergeSides(base: base, mine: mine, theirs: theirs))
        template.conditions = order.sorted(
            template.conditions,
            preferring: choices[Subject.conditionOrder.path.description] ?? .theirs)
        return template
    }
}

extension [TemplateMerge.Conflict] {
    /// The conflict of an order of conditions, if it is one.
    fileprivate init(of order: MergedConditionOrder, in sides: MergeSides<RemoteConfigTemplate>) {
        guard order.isConflict else {
            self = []
            return
        }
        let names = sides.map { JSONNode.array($0.conditions.map { .string($0.name) }) }
        self = [
            TemplateMerge.Conflict(
                subject: .conditionOrder, base: names.base, mine: names.mine,
                theirs: names.theirs, stakes: order.stakes)
        ]
    }
}

extension TemplateMerge {
    /// A unit of merging.
    public enum Subject: Sendable, Hashable {
        case condition(name: String)
        /// The order of the conditions.
        case conditionOrder
        /// A parameter; the group is nil for a parameter outside groups.
        case parameter(group: String?, key: String)
        /// A field of a parameter, such as `defaultValue` or `valueType`.
        case parameterField(group: String?, key: String, field: String)
        /// The value of a parameter for a condition.
        case conditionalValue(group: String?, key: String, condition: String)
        /// A group, without its parameters.
        case group(name: String)
        /// A member of the template that this backend does not know.
        case field(name: String)

        var path: TemplatePath {
            let root = TemplatePath.root
            return switch self {
            case .condition(let name): root.member("conditions").member(name)
            case .conditionOrder: root.member("conditions")
            case .parameter(let group?, let key):
                root.member("parameterGroups").member(group).member("parameters").member(key)
            case .parameter(nil, let key): root.member("parameters").member(key)
            case .parameterField(let group, let key, let field):
                Subject.parameter(group: group, key: key).path.member(field)
            case .conditionalValue(let group, let key, let condition):
                Subject.parameter(group: group, key: key).path.member("conditionalValues")
                    .member(condition)
            case .group(let name): root.member("parameterGroups").member(name)
            case .field(let name): root.member(name)
            }
        }
    }
}

extension TemplateMerge.Conflict {
    /// The conflict as the response of the route `remoteConfig:merge` (API 3).
    ///
    /// ```json
    /// {"path": "parameterGroups.Home.parameters.title", "kind": "PARAMETER", "section": "Home",
    ///  "key": "title", "field": "defaultValue", "base": {…}, "mine": {…}, "theirs": {…}}
    /// ```
    ///
    /// `kind` is `PARAMETER` with `section` and `key`, and with `field` or `condition` for a part
    /// of it; `CONDITION`, `GROUP` or `FIELD` with `name`; or `CONDITION_ORDER`, whose sides are
    /// lists of names; its `conditions` and `settings` are what the choice decides. A side without
    /// the item is omitted.
    public var json: JSONNode {
        var node: JSONNode = ["path": .string(path)]
        switch subject {
        case .condition(let name):
            node.setMember("kind", "CONDITION")
            node.setMember("name", .string(name))
        case .conditionOrder:
            node.setMember("kind", "CONDITION_ORDER")
        case .parameter(let group, let key):
            Self.set(&node, group: group, key: key)
        case .parameterField(let group, let key, let field):
            Self.set(&node, group: group, key: key)
            node.setMember("field", .string(field))
        case .conditionalValue(let group, let key, let condition):
            Self.set(&node, group: group, key: key)
            node.setMember("condition", .string(condition))
        case .group(let name):
            node.setMember("kind", "GROUP")
            node.setMember("name", .string(name))
        case .field(let name):
            node.setMember("kind", "FIELD")
            node.setMember("name", .string(name))
        }
        node.setMember("base", base)
        node.setMember("mine", mine)
        node.setMember("theirs", theirs)
        if let stakes {
            node.setMember("conditions", .array(stakes.conditions.map { .string($0) }))
            node.setMember("settings", .array(stakes.settings.map(\.json)))
        }
        return node
    }

    /// Conflicts as elements of a response, limited in size.
    ///
    /// One whose values do not fit has its place only, and `"isComplete": false`; those after the
    /// last one that fits are missing.
    ///
    /// - Parameters:
    ///   - conflicts: The conflicts.
    ///   - maximumBytes: Maximum size of the text, in bytes.
    /// - Returns: The elements.
    public static func json(
        of conflicts: [TemplateMerge.Conflict], maximumBytes: Int
    ) -> [JSONNode] {
        // Without the brackets, and the comma that the first element lacks.
        var rest = maximumBytes - 1
        var listed: [JSONNode] = []
        for conflict in conflicts {
            let node = conflict.json
            var place = node
            for name in ["base", "mine", "theirs", "conditions", "settings"] {
                place.removeMember(name)
            }
            place.setMember("isComplete", .bool(false))
            guard let fitting = [node, place].first(where: { $0.jsonData().count < rest }) else {
                break
            }
            rest -= fitting.jsonData().count + 1
            listed.append(fitting)
        }
        return listed
    }

    private static func set(_ node: inout JSONNode, group: String?, key: String) {
        node.setMember("kind", "PARAMETER")
        let setting = TemplateMerge.Setting(group: group, key: key).json
        node.setMember("section", setting["section"])
        node.setMember("key", setting["key"])
    }
}

extension TemplateMerge.Setting {
    fileprivate var json: JSONNode {
        [
            "section": .string(group ?? RemoteConfigTemplate.defaultSectionName),
            "key": .string(key),
        ]
    }
}

extension TemplateMerge {
    /// The units of a template by subject, with constant-time lookup.
    public struct Units: Sendable {
        private let template: RemoteConfigTemplate
        private let conditions: NamedValues<TemplateCondition>

        /// Indexes a template.
        ///
        /// - Parameter template: The template.
        public init(_ template: RemoteConfigTemplate) {
            self.template = template
            conditions = template.conditionsByName
        }

        /// The unit's value as in a conflict; nil when it does not exist.
        public subscript(subject: Subject) -> JSONNode? {
            switch subject {
            case .condition(let name): conditions[ExactText(name)]?.json
            case .conditionOrder: .array(template.conditions.map { .string($0.name) })
            case .parameter(let group, let key): parameter(group, key)?.json
            case .parameterField(let group, let key, let field):
                parameter(group, key)?.field(named: field)
            case .conditionalValue(let group, let key, let condition):
                parameter(group, key)?.conditionalValues[condition]?.json
            case .group(let name): template.parameterGroups[name]?.shellJSON
            case .field(let name): template.unknownFields[name]
            }
        }

        private func parameter(_ group: String?, _ key: String) -> TemplateParameter? {
            guard let group else { return template.parameters[key] }
            return template.parameterGroups[group]?.parameters[key]
        }
    }
}
