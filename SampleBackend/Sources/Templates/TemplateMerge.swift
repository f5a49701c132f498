public import JSONTree
import OrderedCollections

/// A merge of two people's changes to one template.
///
/// A unit that only one side changed is taken from that side; equal changes do not conflict. The
/// units are a field of a parameter (its default value, each conditional value, type, description),
/// a condition, the description of a group, a member that this backend does not know, and the order
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
        public let base: JSONNode?

        /// The value in the template to publish; nil when it does not exist.
        public let mine: JSONNode?

        /// The value published in the meantime; nil when it does not exist.
        public let theirs: JSONNode?

        /// The path: `parameters.title`, `conditions.beta`, or `conditions` for their order.
        public var path: String { subject.path.description }
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
        var merger = TemplateMerger(choices: [:])
        merged = merger.merge(base: base, mine: mine, theirs: theirs)
        conflicts = merger.conflicts
    }

    /// Returns the template with a chosen side for each conflict.
    ///
    /// Choosing the side without a condition removes the values for the condition.
    ///
    /// - Parameter choices: The side by the path of a conflict; the default is theirs. Paths
    ///   without a
    ///   conflict are ignored.
    /// - Returns: The template, without a version.
    public func resolving(_ choices: [String: Side]) -> RemoteConfigTemplate {
        var merger = TemplateMerger(choices: choices)
        return merger.merge(base: base, mine: mine, theirs: theirs)
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
    /// lists of names. A side without the item is omitted.
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
        return node
    }

    private static func set(_ node: inout JSONNode, group: String?, key: String) {
        node.setMember("kind", "PARAMETER")
        node.setMember("section", .string(group ?? RemoteConfigTemplate.defaultSectionName))
        node.setMember("key", .string(key))
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
            case .condition(let name): conditions[name]?.json
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
