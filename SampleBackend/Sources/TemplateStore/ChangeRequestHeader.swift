public import Foundation

/// The place of a change request among those of its project, without its texts and templates.
///
/// Stores keep it apart from these, so that they can count and list requests of any size.
public struct ChangeRequestHeader: Sendable, Hashable {
    /// The project's name.
    public let project: String

    /// The identifier in the project.
    public let id: String

    /// The state.
    public internal(set) var state: StoredChangeRequest.State

    /// Identifies this state of the request; no other state of any request has the same tag.
    public let tag: String

    /// The time of the last change, to the millisecond.
    public let updateTime: Date

    /// The last version of the deleted project whose name the request's project has; nil if no
    /// project of this name had been deleted when the request was made.
    public let deletedVersion: Int?

    /// Size of texts and templates, in bytes.
    public let size: Int

    /// The time at which the request was marked for its removal; nil unless it is marked.
    package var expiryNoticeDate: Date?

    /// Creates a header.
    public init(
        project: String, id: String, state: StoredChangeRequest.State, tag: String,
        updateTime: Date, deletedVersion: Int? = nil, size: Int
    ) {
        self.project = project
        self.id = id
        self.state = state
        self.tag = tag
        self.updateTime = updateTime
        self.deletedVersion = deletedVersion
        self.size = size
    }

    /// The order of lists: the last changed one first.
    public static func isListedBefore(_ first: ChangeRequestHeader, _ second: ChangeRequestHeader)
        -> Bool
    {
        if first.updateTime != second.updateTime { return first.updateTime > second.updateTime }
        return first.id.utf8.lexicographicallyPrecedes(second.id.utf8)
    }

    /// The request at a time, when a project of its name was last deleted at `deletedVersion`.
    package func seen(at date: Date, deletedVersion: Int?) -> ChangeRequestHeader {
        guard state == .open else { return self }
        var seen = self
        let rule = ExpiryRule(lifetime: TemplateStoreLimits.changeRequestLifetime, grace: 0)
        if deletedVersion != self.deletedVersion {
            seen.state = .closed
        } else if rule.isExpired(updateTime, at: date) {
            seen.state = .expired
        }
        return seen
    }

    /// The header with its mark at a time; nil when the request is to be removed.
    package func pruned(at date: Date, deletedVersion: Int?) -> ChangeRequestHeader? {
        let lifetime = TemplateStoreLimits.changeRequestLifetime
        let isOpen = state == .open && self.deletedVersion == deletedVersion
        let rule = ExpiryRule(
            // An open one expires first, which is its end.
            lifetime: isOpen ? 2 * lifetime : lifetime,
            grace: TemplateStoreLimits.draftGrace)
        let notice = rule.notice(after: expiryNoticeDate, updateTime, at: date)
        if rule.isOver(notice, at: date) { return nil }
        var pruned = self
        pruned.expiryNoticeDate = notice
        return pruned
    }
}
