public import Foundation
import Templates

/// The part of a ``TemplateStore`` that reads the audit trail, which the other parts write.
public protocol AuditStoring: Sendable {
    /// The entries of a project and of the whole server, newest first.
    func auditEntries(
        inProject project: String, matching query: AuditQuery
    ) async throws(TemplateStoreError) -> [AuditEntry]

    /// The same, from a limited part of the trail: an engine without an index of the entries by
    /// project stops after `maximum` entries of any project, even if it has found none.
    func auditPage(
        inProject project: String, matching query: AuditQuery, searching maximum: Int
    ) async throws(TemplateStoreError) -> AuditPage
}

extension AuditStoring {
    /// For engines with an index: all entries that they read are found.
    public func auditPage(
        inProject project: String, matching query: AuditQuery, searching maximum: Int
    ) async throws(TemplateStoreError) -> AuditPage {
        let entries = try await auditEntries(inProject: project, matching: query)
        let isFull = entries.count >= min(max(query.limit, 1), TemplateStoreLimits.auditPage)
        return AuditPage(
            entries: entries, searchedCount: entries.count,
            next: isFull ? entries.last?.revision : nil)
    }
}

/// Found entries of the audit trail, and the place where the search ended.
public struct AuditPage: Sendable, Hashable {
    /// The entries, newest first.
    public var entries: [AuditEntry]

    /// The number of entries that were read, of any project.
    public var searchedCount: Int

    /// The search continues with entries before this revision; nil at the end of the trail.
    public var next: StoreRevision?

    /// Creates a page.
    public init(entries: [AuditEntry] = [], searchedCount: Int = 0, next: StoreRevision? = nil) {
        self.entries = entries
        self.searchedCount = searchedCount
        self.next = next
    }
}

/// A page of the audit trail.
public struct AuditQuery: Sendable, Hashable {
    /// The page size, 1 to 1,000; other numbers are clamped.
    public var limit: Int

    /// Only entries before this revision; nil starts at the newest.
    public var before: StoreRevision?

    /// Only entries of these actions; nil means all.
    public var actions: Set<AuditEntry.Action>?

    /// Creates a query.
    public init(
        limit: Int = 100, before: StoreRevision? = nil, actions: Set<AuditEntry.Action>? = nil
    ) {
        self.limit = limit
        self.before = before
        self.actions = actions
    }
}

/// An immutable line of the audit trail with actor, action and time.
public struct AuditEntry: Sendable, Hashable {
    /// The kind of action; stores keep the raw value.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        case publish = "PUBLISH"
        case rollback = "ROLLBACK"
        /// Publishes the current version without the changes of an earlier one.
        case undo = "UNDO"
        /// Sets a user's pinned values.
        case setOverrides = "SET_OVERRIDES"
        /// Removes a user's pinned values.
        case removeOverrides = "REMOVE_OVERRIDES"
        /// Creates a token, or begins a session of the console.
        case createToken = "CREATE_TOKEN"
        /// Revokes a token, or ends a session of the console.
        case revokeToken = "REVOKE_TOKEN"
        case createWebhook = "CREATE_WEBHOOK"
        case removeWebhook = "REMOVE_WEBHOOK"
        /// Sets a project's display name, colour, environment or protection, or archives it.
        case setProjectDetails = "SET_PROJECT_DETAILS"
        case createProject = "CREATE_PROJECT"
        case createChangeRequest = "CREATE_CHANGE_REQUEST"
        /// Changes the title, the text or the template of a change request.
        case editChangeRequest = "EDIT_CHANGE_REQUEST"
        case approveChangeRequest = "APPROVE_CHANGE_REQUEST"
        /// Requests changes to a change request.
        case rejectChangeRequest = "REJECT_CHANGE_REQUEST"
        case commentChangeRequest = "COMMENT_CHANGE_REQUEST"
        /// Closes a change request without a publish.
        case closeChangeRequest = "CLOSE_CHANGE_REQUEST"
        /// Schedules the publish of a change request, or moves it.
        case schedulePublish = "SCHEDULE_PUBLISH"
        case cancelScheduledPublish = "CANCEL_SCHEDULED_PUBLISH"
        /// Warns, before a scheduled time, that approvals are lacking.
        case warnOfLackingApprovals = "WARN_OF_LACKING_APPROVALS"
        /// Records why nothing was published at a scheduled time.
        case endScheduledPublish = "END_SCHEDULED_PUBLISH"
        case holdRollout = "HOLD_ROLLOUT"
        case resumeRollout = "RESUME_ROLLOUT"
        /// Records the end of a rollout after its last step, or where it is.
        case endRollout = "END_ROLLOUT"
        /// A change request expires, since nobody changed it for too long.
        case expireChangeRequest = "EXPIRE_CHANGE_REQUEST"
        /// Deletes an archived project with all of its content except the audit trail.
        case deleteProject = "DELETE_PROJECT"
        /// Attempts to sign in to the console without a valid token.
        case failedSignIn = "FAILED_SIGN_IN"
        /// Continues the version numbers of all projects above those that clients may have, after
        /// the store was restored.
        case raiseVersions = "RAISE_VERSIONS"

        /// The actions that store a version of a template, whose number is the entry's subject.
        package static let ofVersions: Set<Action> = [.publish, .rollback, .undo]

        /// True when the action's entries concern the whole server rather than a project.
        package var isOfServer: Bool {
            [.createToken, .revokeToken, .failedSignIn, .raiseVersions].contains(self)
        }
    }

    /// The revision of the change.
    public let revision: StoreRevision

    /// The project; nil when the entry concerns the whole server, for example for tokens.
    public let project: String?

    /// The time of the change.
    public let date: Date

    /// The name of the token used; empty when it is unknown.
    public let actor: String

    /// The kind of action.
    public let action: Action

    /// The object of the action: the version's number, the user's ID, the token's name, the
    /// identifier of the webhook or the change request, the project's name, or the addresses of failed attempts to sign in.
    public let subject: String

    /// Additional text, such as the description of a version.
    public let detail: String?

    /// Creates an entry; of the address of a webhook, it keeps no values in the query.
    public init(
        revision: StoreRevision, project: String?, date: Date, actor: String, action: Action,
        subject: String, detail: String? = nil
    ) {
        self.revision = revision
        self.project = project
        self.date = date
        self.actor = actor
        self.action = action
        self.subject = subject
        // Here, because earlier releases have stored whole addresses, and the trail is never
        // rewritten.
        let isOfWebhook = [.createWebhook, .removeWebhook].contains(action)
        self.detail = isOfWebhook ? detail.map(StoredWebhook.shownURL) : detail
    }
}

// The entries that all engines write for a change.
extension AuditEntry {
    package init(of template: StoredTemplate) {
        let version = template.version
        let source = version.sourceVersion
        let (action, sourceText): (Action, String?) =
            switch version.updateType {
            case .rollback: (.rollback, source.map { "version \($0) again" })
            case .undo: (.undo, source.map { "version \($0) undone" })
            default: (.publish, nil)
            }
        let parts = [sourceText, version.description].compactMap { $0 }
        self.init(
            revision: template.revision, project: template.project, date: version.updateTime,
            actor: version.updateUser.name ?? version.updateUser.email ?? "",
            action: action, subject: version.number.description,
            detail: parts.isEmpty ? nil : parts.joined(separator: ": "))
    }

    /// Creates the entry of a change of pinned values.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - before: The pinned values that it replaces; nil when there are none, or when they are
    ///     not known.
    ///   - isBeforeKnown: False when there are values that are not known.
    ///   - revision: The revision of the change.
    package init(
        of change: OverridesChange, replacing before: Data?, isBeforeKnown: Bool = true,
        revision: StoreRevision
    ) {
        self.init(
            revision: revision, project: change.project, date: change.date.roundedToMilliseconds,
            actor: change.actor,
            action: change.content == nil ? .removeOverrides : .setOverrides,
            subject: change.userID,
            detail: PinnedValuesText.differences(
                from: before, to: change.content, isBeforeKnown: isBeforeKnown))
    }

    package init(of change: ProjectDetailsChange, revision: StoreRevision) {
        let parts = [change.details.auditText, change.detail].compactMap { $0 }
        self.init(
            revision: revision, project: change.project, date: change.date.roundedToMilliseconds,
            actor: change.actor, action: .setProjectDetails, subject: change.project,
            detail: parts.isEmpty ? nil : parts.joined(separator: ", "))
    }

    package init(ofNew token: StoredToken, actor: String, revision: StoreRevision) {
        let roles =
            token.projects.map { roles in
                roles.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.rawValue)" }
                    .joined(separator: ", ")
            } ?? token.role.rawValue
        let parts = [
            roles, token.owner.map { "owner: \($0)" },
            token.mayBypass ? "may bypass approvals" : nil,
        ]
        self.init(
            revision: revision, project: nil, date: token.creationDate.roundedToMilliseconds,
            actor: actor, action: .createToken, subject: token.name,
            detail: parts.compactMap { $0 }.joined(separator: ", "))
    }

    package init(ofNew session: StoredSession, actor: String, revision: StoreRevision) {
        let parts = [
            session.role.rawValue, session.person.map { "subject \($0.subject) of \($0.issuer)" },
        ]
        self.init(
            revision: revision, project: nil, date: session.creationDate, actor: actor,
            action: .createToken, subject: session.name,
            detail: parts.compactMap { $0 }.joined(separator: ", "))
    }

    package init(ofRevoked name: String, actor: String, date: Date, revision: StoreRevision) {
        self.init(
            revision: revision, project: nil, date: date.roundedToMilliseconds, actor: actor,
            action: .revokeToken, subject: name)
    }

    package init(ofNew webhook: StoredWebhook, revision: StoreRevision) {
        self.init(
            revision: revision, project: webhook.project,
            date: webhook.creationDate.roundedToMilliseconds, actor: webhook.creator,
            action: .createWebhook, subject: webhook.id, detail: webhook.url)
    }

    package init(
        ofRemoved webhook: StoredWebhook, actor: String, date: Date, revision: StoreRevision
    ) {
        self.init(
            revision: revision, project: webhook.project, date: date.roundedToMilliseconds,
            actor: actor, action: .removeWebhook, subject: webhook.id, detail: webhook.url)
    }
}
