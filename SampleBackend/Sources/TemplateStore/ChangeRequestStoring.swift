public import Foundation

/// The part of a ``TemplateStore`` that keeps change requests: edits that people approve before
/// they are published.
///
/// A request belongs to a project and has an identifier in it. It keeps the template on which the
/// edit is based and the edited one, since older versions are dropped. Each change replaces the
/// request with the expected tag, and has an entry in the audit trail.
///
/// An open request expires ``TemplateStoreLimits/changeRequestLifetime`` after its last change. An
/// ended one is removed that long after its end, by a change of any request of the project, and only
/// after it was marked ``TemplateStoreLimits/draftGrace`` before. Deleting its project closes a
/// request, which stays readable.
public protocol ChangeRequestStoring: Sendable {
    /// Creates or replaces an open request if the stored one is as expected.
    ///
    /// - Parameter submission: The request, the expectation and the act.
    /// - Returns: The stored request with a new tag, without its templates.
    /// - Throws: ``TemplateStoreError`` with the code `projectMissing`, `projectArchived`,
    ///   `changeRequestMismatch`, `changeRequestEnded`, `tooManyChangeRequests` or
    ///   `changeRequestTooLarge`.
    func saveChangeRequest(
        _ submission: ChangeRequestSubmission
    ) async throws(TemplateStoreError) -> StoredChangeRequest

    /// A request with its templates; nil when there is none with this identifier.
    func changeRequest(
        id: String, inProject project: String, date: Date
    ) async throws(TemplateStoreError) -> StoredChangeRequest?

    /// The requests of a project without their templates, the last changed one first; also those of
    /// a deleted project.
    func changeRequests(
        inProject project: String, date: Date
    ) async throws(TemplateStoreError) -> [StoredChangeRequest]
}

/// The templates of a change request.
public struct ChangeRequestContents: Sendable, Hashable {
    /// The template on which the edit is based, as JSON text.
    public let base: Data

    /// The edited template as JSON text.
    public let edited: Data

    /// Creates the templates.
    public init(base: Data, edited: Data) {
        self.base = base
        self.edited = edited
    }
}

/// A change request to store.
public struct ChangeRequestSubmission: Sendable, Hashable {
    /// The project's name.
    public var project: String

    /// The identifier in the project.
    public var id: String

    /// The request; the store sets its digest.
    public var request: ChangeRequest

    /// The templates; nil keeps those that are stored.
    public var contents: ChangeRequestContents?

    /// The request to replace.
    public var expectation: StateExpectation

    /// The act, for the audit trail.
    public var action: AuditEntry.Action

    /// Additional text for the audit trail.
    public var detail: String?

    /// The time of the change.
    public var date: Date

    /// The name of the token used, for the audit trail.
    public var actor: String

    /// Creates a submission.
    public init(
        project: String, id: String, request: ChangeRequest,
        contents: ChangeRequestContents? = nil, expectation: StateExpectation,
        action: AuditEntry.Action, detail: String? = nil, date: Date, actor: String
    ) {
        self.project = project
        self.id = id
        self.request = request
        self.contents = contents
        self.expectation = expectation
        self.action = action
        self.detail = detail
        self.date = date
        self.actor = actor
    }
}

/// A change request in a store.
public struct StoredChangeRequest: Sendable, Hashable {
    /// The state; stores keep the raw value.
    public enum State: String, Sendable, Hashable, CaseIterable {
        case open = "OPEN"
        case published = "PUBLISHED"
        case closed = "CLOSED"
        /// Nobody changed it for too long; never stored.
        case expired = "EXPIRED"
    }

    /// The project's name.
    public let project: String

    /// The identifier in the project.
    public let id: String

    /// The state.
    public internal(set) var state: State

    /// Identifies this state of the request; no other state of any request has the same tag.
    public let tag: String

    /// The time of the last change, to the millisecond.
    public let updateTime: Date

    /// The last version of the deleted project whose name the request's project has; nil if no
    /// project of this name had been deleted when the request was made.
    public let deletedVersion: Int?

    /// The request.
    public let request: ChangeRequest

    /// The templates; nil where a call leaves them out.
    public var contents: ChangeRequestContents?

    /// Creates a stored request.
    public init(
        project: String, id: String, state: State, tag: String, updateTime: Date,
        deletedVersion: Int? = nil, request: ChangeRequest, contents: ChangeRequestContents? = nil
    ) {
        self.project = project
        self.id = id
        self.state = state
        self.tag = tag
        self.updateTime = updateTime
        self.deletedVersion = deletedVersion
        self.request = request
        self.contents = contents
    }
}

extension StoredChangeRequest {
    /// The rule by which the request is removed.
    package var expiryRule: ExpiryRule {
        let lifetime = TemplateStoreLimits.changeRequestLifetime
        return ExpiryRule(
            // An open one expires first, which is its end.
            lifetime: state == .open ? 2 * lifetime : lifetime,
            grace: TemplateStoreLimits.draftGrace)
    }

    /// The request at a time, when a project of its name was last deleted at `deletedVersion`.
    package func seen(at date: Date, deletedVersion: Int?) -> StoredChangeRequest {
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
}

/// A stored change request, and the time at which it was marked for its removal.
package struct ChangeRequestEntry: Sendable, Hashable {
    package var stored: StoredChangeRequest
    /// Nil unless the request is marked.
    package var expiryNoticeDate: Date?

    package init(_ stored: StoredChangeRequest, expiryNoticeDate: Date? = nil) {
        self.stored = stored
        self.expiryNoticeDate = expiryNoticeDate
    }

    /// The entry with its mark at a time; nil when it is to be removed.
    package func pruned(at date: Date) -> ChangeRequestEntry? {
        let rule = stored.expiryRule
        let notice = rule.notice(after: expiryNoticeDate, stored.updateTime, at: date)
        return rule.isOver(notice, at: date)
            ? nil : ChangeRequestEntry(stored, expiryNoticeDate: notice)
    }
}

extension ChangeRequestSubmission {
    /// The request to store, with a new unique tag.
    ///
    /// - Parameters:
    ///   - known: The stored request with this identifier; nil when there is none.
    ///   - openCount: The number of open requests of the project.
    ///   - deletedVersion: The last version of a deleted project of the same name.
    /// - Returns: The request, with its templates if they are given.
    /// - Throws: ``TemplateStoreError`` when the stored one is not as expected or not open, or when
    ///   there are too many.
    package func stored(
        over known: StoredChangeRequest?, openCount: Int, deletedVersion: Int?
    ) throws(TemplateStoreError) -> StoredChangeRequest {
        let known = known?.seen(at: date, deletedVersion: deletedVersion)
        guard expectation.isMet(byTag: known?.tag), known != nil || contents != nil else {
            throw .changeRequestMismatch(id, isThere: known != nil)
        }
        if let known, known.state != .open { throw .changeRequestEnded(id, known.state) }
        if known == nil, openCount >= TemplateStoreLimits.openChangeRequests {
            throw .tooManyChangeRequests(inProject: project)
        }
        var request = request
        request.contentDigest =
            contents.map { ChangeRequest.digest(of: $0) }
            ?? known?.request.contentDigest ?? ""
        // Who fills a request with comments must not keep others from voting on it or closing it.
        let isVote = [.approveChangeRequest, .rejectChangeRequest].contains(action)
        let maximum = TemplateStoreLimits.changeRequestBytes * (isVote ? 2 : 1)
        guard action == .closeChangeRequest || request.record.count <= maximum else {
            throw .changeRequestTooLarge(id)
        }
        return StoredChangeRequest(
            project: project, id: id, state: request.ending == nil ? .open : .closed,
            tag: UUID().uuidString.lowercased(), updateTime: date.roundedToMilliseconds,
            deletedVersion: deletedVersion, request: request, contents: contents)
    }
}

extension AuditEntry {
    package init(of submission: ChangeRequestSubmission, revision: StoreRevision) {
        self.init(
            revision: revision, project: submission.project,
            date: submission.date.roundedToMilliseconds, actor: submission.actor,
            action: submission.action, subject: submission.id,
            detail: [submission.request.title, submission.detail].compactMap { $0 }
                .joined(separator: ": "))
    }
}

extension TemplateStoreError {
    package static func changeRequestMismatch(
        _ id: String, isThere: Bool
    ) -> TemplateStoreError {
        TemplateStoreError(
            .changeRequestMismatch,
            isThere
                ? "The change request \(id) is not the expected one: get it, look at what has "
                    + "changed, and send the request again."
                : "There is no change request \(id): list those of the project.")
    }

    package static func changeRequestEnded(
        _ id: String, _ state: StoredChangeRequest.State
    ) -> TemplateStoreError {
        TemplateStoreError(
            .changeRequestEnded,
            "The change request \(id) is \(state.rawValue.lowercased()), so it cannot be changed: "
                + "make a new one.")
    }

    fileprivate static func changeRequestTooLarge(_ id: String) -> TemplateStoreError {
        TemplateStoreError(
            .changeRequestTooLarge,
            "The texts, comments and votes of the change request \(id) would have more than "
                + "\(TemplateStoreLimits.changeRequestBytes) bytes: make a new one.")
    }

    package static func tooManyChangeRequests(inProject project: String) -> TemplateStoreError {
        TemplateStoreError(
            .tooManyChangeRequests,
            "The project '\(project)' has \(TemplateStoreLimits.openChangeRequests) open change "
                + "requests, which is the maximum: publish or close one of them.")
    }
}

extension TemplateStoreLimits {
    /// Maximum number of open change requests of a project.
    public static let openChangeRequests = 100

    /// Maximum size of a change request without its templates, in bytes.
    public static let changeRequestBytes = 200_000

    /// The time from its last change until an open change request expires, and from the end of a
    /// request until it is removed, in seconds: 90 days.
    public static let changeRequestLifetime: TimeInterval = 90 * 86_400
}
