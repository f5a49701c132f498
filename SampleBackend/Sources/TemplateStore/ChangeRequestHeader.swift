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

    /// When the request is published by itself, or was; nil when that was never planned.
    public internal(set) var scheduledDate: Date?

    /// The next time of the schedule; nil when nothing more happens.
    public internal(set) var dueDate: Date?

    /// The time at which the request was marked for its removal; nil unless it is marked.
    package var expiryNoticeDate: Date?

    /// Creates a header.
    public init(
        project: String, id: String, state: StoredChangeRequest.State, tag: String,
        updateTime: Date, deletedVersion: Int? = nil, size: Int, scheduledDate: Date? = nil,
        dueDate: Date? = nil
    ) {
        self.project = project
        self.id = id
        self.state = state
        self.tag = tag
        self.updateTime = updateTime
        self.deletedVersion = deletedVersion
        self.size = size
        self.scheduledDate = scheduledDate
        self.dueDate = dueDate
    }

    /// The order of lists: the last changed one first.
    public static func isListedBefore(_ first: ChangeRequestHeader, _ second: ChangeRequestHeader)
        -> Bool
    {
        if first.updateTime != second.updateTime { return first.updateTime > second.updateTime }
        return first.id.utf8.lexicographicallyPrecedes(second.id.utf8)
    }

    /// The order in which requests are due.
    ///
    /// At one time, ends come in the reverse order of their starts, so that each finds what its start
    /// has set; then starts, in the order in which they were last changed.
    package static func isDueBefore(
        _ first: ChangeRequestHeader, _ second: ChangeRequestHeader
    ) -> Bool {
        let dates = (first.dueDate ?? .distantFuture, second.dueDate ?? .distantFuture)
        if dates.0 != dates.1 { return dates.0 < dates.1 }
        let areEnds = (first.state == .published, second.state == .published)
        if areEnds.0 != areEnds.1 { return areEnds.0 }
        // The last change is the start, unless the end was moved since.
        if areEnds.0, let start = first.scheduledDate, let other = second.scheduledDate,
            start != other
        {
            return start > other
        }
        if first.updateTime != second.updateTime {
            return (first.updateTime < second.updateTime) != areEnds.0
        }
        return first.id.utf8.lexicographicallyPrecedes(second.id.utf8)
    }

    /// The request at a time, when a project of its name was last deleted at `deletedVersion`.
    package func seen(at date: Date, deletedVersion: Int?) -> ChangeRequestHeader {
        var seen = self
        if deletedVersion != self.deletedVersion { seen.dueDate = nil }
        guard state == .open else { return seen }
        let rule = ExpiryRule(lifetime: TemplateStoreLimits.changeRequestLifetime, grace: 0)
        if deletedVersion != self.deletedVersion {
            seen.state = .closed
        } else if rule.isExpired(lastDate, at: date) {
            seen.state = .expired
            seen.dueDate = nil
        }
        return seen
    }

    /// The last change, or the next time of the schedule if that is later.
    private var lastDate: Date { max(updateTime, dueDate ?? updateTime) }

    /// The header with its mark or as expired at a time; nil when the request is to be removed.
    ///
    /// An expiry is recorded, and a request removed, only after a mark of some age, since this
    /// machine's clock may be ahead.
    package func aged(at date: Date, deletedVersion: Int?) -> ChangeRequestHeader? {
        let lifetime = TemplateStoreLimits.changeRequestLifetime
        // Nothing of a deleted project is due.
        let lastDate = self.deletedVersion == deletedVersion ? lastDate : updateTime
        var aged = self
        if state == .open, self.deletedVersion == deletedVersion {
            let rule = ExpiryRule(
                lifetime: lifetime, grace: TemplateStoreLimits.changeRequestExpiryGrace)
            let notice = rule.notice(after: expiryNoticeDate, lastDate, at: date)
            guard rule.isOver(notice, at: date) else {
                aged.expiryNoticeDate = notice
                return aged
            }
            aged = ChangeRequestHeader(
                project: project, id: id, state: .expired, tag: UUID().uuidString.lowercased(),
                updateTime: lastDate, deletedVersion: self.deletedVersion, size: size,
                scheduledDate: scheduledDate)
        }
        let rule = ExpiryRule(
            lifetime: aged.state == .expired ? 2 * lifetime : lifetime,
            grace: TemplateStoreLimits.draftGrace)
        let notice = rule.notice(after: aged.expiryNoticeDate, lastDate, at: date)
        if rule.isOver(notice, at: date) { return nil }
        aged.expiryNoticeDate = notice
        return aged
    }
}
