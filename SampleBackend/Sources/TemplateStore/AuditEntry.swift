public import Foundation

/// One line of the audit trail: who did what and when.
///
/// It is never rewritten.
public struct AuditEntry: Sendable, Hashable {
    /// What was done.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// A template was published.
        case publish = "PUBLISH"
        /// An older version was published again.
        case rollback = "ROLLBACK"
        /// Values were pinned for a user.
        case setOverrides = "SET_OVERRIDES"
        /// Values that were pinned for a user were removed.
        case removeOverrides = "REMOVE_OVERRIDES"
        /// A token was made.
        case createToken = "CREATE_TOKEN"
        /// A token was revoked.
        case revokeToken = "REVOKE_TOKEN"
        /// A webhook was made.
        case createWebhook = "CREATE_WEBHOOK"
        /// A webhook was removed.
        case removeWebhook = "REMOVE_WEBHOOK"
    }

    /// The revision of the change.
    public let revision: StoreRevision

    /// The project; nil for what concerns the whole server, as tokens do.
    public let project: String?

    /// When.
    public let date: Date

    /// Who: the name of a token.
    public let actor: String

    /// What.
    public let action: Action

    /// What it was done to: the version's number, the user's ID, the token's name, the
    /// webhook's identifier.
    public let subject: String

    /// More about it, such as the description of a version; nil when there is nothing to say.
    public let detail: String?

    /// Makes an entry.
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
        self.detail = detail
    }
}
