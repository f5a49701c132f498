public import Foundation

/// The part of a ``TemplateStore`` that keeps change requests: edits that people approve before
/// they are published.
///
/// A request belongs to a project and has an identifier in it. It keeps the template on which the
/// edit is based and the edited one, since older versions are dropped. Each change replaces the
/// request with the expected tag, and has an entry in the audit trail.
///
/// An open request expires ``TemplateStoreLimits/changeRequestLifetime`` after its last change, which
/// ``removeExpiredChangeRequests(at:)`` records about a day later. An ended one is removed that long
/// after its end, and only after it was marked ``TemplateStoreLimits/draftGrace`` before. Deleting its project closes a
/// request, which stays readable. ``ChangeRequestTable`` has the limits of a project.
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

    /// The headers of a project's requests, the last changed one first; also those of a deleted
    /// project.
    func changeRequests(
        inProject project: String, date: Date
    ) async throws(TemplateStoreError) -> [ChangeRequestHeader]

    /// The headers of the requests of all projects whose schedules wait for a time, the earliest
    /// first.
    func scheduledChangeRequests(
        date: Date
    ) async throws(TemplateStoreError) -> [ChangeRequestHeader]

    /// Marks the requests of all projects that are to expire or to be removed, and expires or
    /// removes those whose mark is old enough.
    ///
    /// Each expiry is a change with an entry in the audit trail, and webhooks are told of it.
    func removeExpiredChangeRequests(at date: Date) async throws(TemplateStoreError)
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
@dynamicMemberLookup
public struct StoredChangeRequest: Sendable, Hashable {
    /// The state; stores keep the raw value.
    public enum State: String, Sendable, Hashable, CaseIterable {
        case open = "OPEN"
        case published = "PUBLISHED"
        case closed = "CLOSED"
        /// Nobody changed it for too long; stored some time later.
        case expired = "EXPIRED"
    }

    /// The place of the request among those of its project.
    public package(set) var header: ChangeRequestHeader

    /// The request.
    public package(set) var request: ChangeRequest

    /// The templates; nil where a call leaves them out.
    public var contents: ChangeRequestContents?

    /// Creates a stored request.
    public init(
        header: ChangeRequestHeader, request: ChangeRequest,
        contents: ChangeRequestContents? = nil
    ) {
        self.header = header
        self.request = request
        self.contents = contents
    }

    /// A member of the header.
    public subscript<Value>(dynamicMember member: KeyPath<ChangeRequestHeader, Value>) -> Value {
        header[keyPath: member]
    }

    /// The request at a time, when a project of its name was last deleted at `deletedVersion`.
    package func seen(at date: Date, deletedVersion: Int?) -> StoredChangeRequest {
        var seen = self
        seen.header = header.seen(at: date, deletedVersion: deletedVersion)
        return seen
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

extension AuditEntry {
    package init(ofExpired request: StoredChangeRequest, date: Date, revision: StoreRevision) {
        self.init(
            revision: revision, project: request.project, date: date.roundedToMilliseconds,
            actor: "", action: .expireChangeRequest, subject: request.id,
            detail: request.request.title)
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

    package static func changeRequestTooLarge(_ id: String) -> TemplateStoreError {
        TemplateStoreError(
            .changeRequestTooLarge,
            "The texts, comments and votes of the change request \(id) would have more than "
                + "\(TemplateStoreLimits.changeRequestBytes) bytes: make a new one.")
    }

    package static func tooManyChangeRequests(inProject project: String) -> TemplateStoreError {
        TemplateStoreError(
            .tooManyChangeRequests,
            "The project '\(project)' has \(TemplateStoreLimits.openChangeRequests) open change "
                + "requests, or published ones that wait for their end, which is the maximum: publish or "
                + "close one of them, or cancel an end.")
    }

    package static func changeRequestsTooLarge(inProject project: String) -> TemplateStoreError {
        TemplateStoreError(
            .tooManyChangeRequests,
            "The open change requests of the project '\(project)' would have more than "
                + "\(TemplateStoreLimits.openChangeRequestsBytes >> 20) MB: publish or close one of "
                + "them.")
    }
}

extension TemplateStoreLimits {
    /// Maximum number of open change requests of a project.
    public static let openChangeRequests = 100

    /// Maximum number of ended change requests of a project; each further one removes another one.
    public static let endedChangeRequests = 1_000

    /// Maximum size of the open change requests of a project with their templates, in bytes: 128 MB.
    ///
    /// Votes and closures are stored in any case.
    public static let openChangeRequestsBytes = 128 << 20

    /// Maximum size of the ended ones, in bytes: 128 MB; each further one removes others.
    public static let endedChangeRequestsBytes = 128 << 20

    /// Maximum size of a change request without its templates, in bytes.
    public static let changeRequestBytes = 200_000

    /// The time from its last change until an open change request expires, and from the end of a
    /// request until it is removed, in seconds: 90 days.
    public static let changeRequestLifetime: TimeInterval = 90 * 86_400

    /// The time from the marking of an expired change request until its expiry is recorded, in
    /// seconds: a day.
    public static let changeRequestExpiryGrace: TimeInterval = 86_400
}
