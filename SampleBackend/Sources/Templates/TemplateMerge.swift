public import JSONTree
import OrderedCollections

/// The merge of two people's changes to one template.
///
/// A unit that only one side changed is taken from that side; equal changes are not a conflict. The
/// units are a parameter, a condition, the description of a group, a member that this backend does
/// not know, and the order of conditions.
///
/// ```swift
/// let merge = TemplateMerge(base: published, mine: edited, theirs: current)
/// for conflict in merge.conflicts { print(conflict.path) }
/// let template = merge.resolving(["parameterGroups.Home.parameters.title": .mine])
/// ```
///
/// Validate the result before publishing it: two valid templates can merge into an invalid one,
/// such as one with more parameters than allowed.
public struct TemplateMerge: Sendable {
    /// A side of the merge.
    public enum Side: String, Sendable, Hashable {
        /// The template that is about to be published.
        case mine
        /// The template that was published in the meantime.
        case theirs
    }

    /// A unit that the sides changed differently.
    public struct Conflict: Sendable, Hashable {
        /// The unit.
        public let subject: Subject

        /// The common original; nil when it did not exist.
        public let base: JSONNode?

        /// The value in the template about to be published; nil when it does not exist.
        public let mine: JSONNode?

        /// The value published in the meantime; nil when it does not exist.
        public let theirs: JSONNode?

        /// The place: `parameters.title`, `conditions.beta`, or `conditions` for their order.
        public var path: String { subject.path.description }
    }

    /// The template that both sides started from.
    public let base: RemoteConfigTemplate

    /// The template that is about to be published.
    public let mine: RemoteConfigTemplate

    /// The template that was published in the meantime.
    public let theirs: RemoteConfigTemplate

    /// The merged template, with their side of each conflict; without a version.
    public let merged: RemoteConfigTemplate

    /// The conflicts: conditions and their order, parameters, groups, then the rest.
    public let conflicts: [Conflict]

    /// Merges the changes of two sides.
    ///
    /// - Parameters:
    ///   - base: The template that both started from.
    ///   - mine: The template that is about to be published.
    ///   - theirs: The template that was published in the meantime.
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

    /// Returns the template with a side chosen for each conflict.
    ///
    /// Choosing the side without a condition removes the values under it.
    ///
    /// - Parameter choices: The side by the path of a conflict; theirs where none is given. Paths
    ///   without a conflict are ignored.
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
        /// A parameter; nil is the section of those that belong to no group.
        case parameter(group: String?, key: String)
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
            case .group(let name): root.member("parameterGroups").member(name)
            case .field(let name): root.member(name)
            }
        }
    }
}

extension TemplateMerge.Conflict {
    /// The conflict as the answer of the route `remoteConfig:merge` (HTTP 3).
    ///
    /// ```json
    /// {"path": "parameterGroups.Home.parameters.title", "kind": "PARAMETER", "section": "Home",
    ///  "key": "title", "base": {…}, "mine": {…}, "theirs": {…}}
    /// ```
    ///
    /// `kind` is `PARAMETER` with `section` and `key`, `CONDITION`, `GROUP` or `FIELD` with `name`,
    /// or `CONDITION_ORDER`, whose sides are lists of names. A side that lacks the item is left
    /// out.
    public var json: JSONNode {
        var node: JSONNode = ["path": .string(path)]
        switch subject {
        case .condition(let name):
            node.setMember("kind", "CONDITION")
            node.setMember("name", .string(name))
        case .conditionOrder:
            node.setMember("kind", "CONDITION_ORDER")
        case .parameter(let group, let key):
            node.setMember("kind", "PARAMETER")
            node.setMember("section", .string(group ?? RemoteConfigTemplate.defaultSectionName))
            node.setMember("key", .string(key))
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
}
