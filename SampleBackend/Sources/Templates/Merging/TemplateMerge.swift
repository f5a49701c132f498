public import JSONTree
import OrderedCollections

/// The changes of two people to one template, put together.
///
/// What only one of them changed is taken from there; what both changed alike is no conflict. The
/// units are a parameter, a condition, the description of a group, a member that this backend does
/// not know, and the order of conditions.
///
/// ```swift
/// let merge = TemplateMerge(base: published, mine: edited, theirs: current)
/// for conflict in merge.conflicts { print(conflict.path) }
/// let template = merge.resolving(["parameterGroups.Home.parameters.title": .mine])
/// ```
///
/// Check the outcome before it is published: two sound templates can make one that is not, with
/// more parameters than a template may have.
public struct TemplateMerge: Sendable {
    /// One of the two whose changes are put together.
    public enum Side: String, Sendable, Hashable {
        /// The one that is about to be published.
        case mine
        /// The one that was published in the meantime.
        case theirs
    }

    /// A thing that both sides changed, and not alike.
    public struct Conflict: Sendable, Hashable {
        /// What both changed.
        public let subject: Subject

        /// What it was; nil when it was not there.
        public let base: JSONNode?

        /// What the template that is about to be published says; nil when it is not there.
        public let mine: JSONNode?

        /// What was published in the meantime; nil when it is not there.
        public let theirs: JSONNode?

        /// The place: `parameters.title`, `conditions.beta`, or `conditions` for their order.
        public var path: String { subject.path.description }
    }

    /// The template that both sides began with.
    public let base: RemoteConfigTemplate

    /// The template that is about to be published.
    public let mine: RemoteConfigTemplate

    /// The template that was published in the meantime.
    public let theirs: RemoteConfigTemplate

    /// The changes of both, and theirs where they are in conflict; without a version.
    public let merged: RemoteConfigTemplate

    /// What both changed: conditions and their order, parameters, groups, then the rest.
    public let conflicts: [Conflict]

    /// Puts the changes of two sides together.
    ///
    /// - Parameters:
    ///   - base: The template that both began with.
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

    /// The template with a side chosen for each conflict.
    ///
    /// A condition that is chosen away takes the values under it along.
    ///
    /// - Parameter choices: The side by the path of a conflict; theirs where none is given. Paths
    ///   that are not in conflict count for nothing.
    /// - Returns: The template, without a version.
    public func resolving(_ choices: [String: Side]) -> RemoteConfigTemplate {
        var merger = TemplateMerger(choices: choices)
        return merger.merge(base: base, mine: mine, theirs: theirs)
    }
}
