package import Foundation

/// A store of projects with their templates, versions, drafts, change requests, details, pinned
/// values, webhooks and usage, and of tokens, sessions and the audit trail.
///
/// A store is composed of parts, so that an engine can be written and read part by part. The
/// protocol suits both single-file engines and clusters: no call assumes that this process is the
/// only writer. To keep a copy of the content, read a ``ChangeFeed/snapshot()`` and then follow
/// ``ChangeFeed/changes(since:)`` from its revision.
///
/// Each change is durable before its call returns. Except for drafts and usage, each change and its audit
/// entry are stored atomically: the parts of a store share their transactions.
public protocol TemplateStore:
    TemplateStoring, DraftStoring, ChangeRequestStoring, ProjectStoring, ProjectDetailsStoring,
    OverridesStoring,
    TokenStoring, SessionStoring, AuditStoring, WebhookStoring, UsageStoring, ChangeFeed
{
    /// Returns if the store can be read and written, otherwise throws.
    func checkReadiness() async throws(TemplateStoreError)

    /// Closes files and connections, and ends all sequences of changes.
    ///
    /// Later calls throw ``TemplateStoreError`` with the code `unavailable`.
    func close() async
}

/// Limits that all engines enforce (API 3).
public enum TemplateStoreLimits: Sendable {
    /// Maximum number of stored versions of a project, always including the current one.
    public static let keptVersions = 300

    /// Maximum number of users with pinned values in a project.
    public static let usersWithOverrides = 10_000

    /// Number of changes that an engine keeps for readers of ``ChangeFeed/changes(since:)``.
    public static let keptChanges = 10_000

    /// Minimum time between two recorded uses of a token, in seconds.
    public static let secondsBetweenRecordedUses = 60

    /// Maximum number of audit entries in one response.
    public static let auditPage = 1_000

    /// Maximum number of webhooks of a project.
    public static let webhooks = 20

    /// Maximum number of stored finished deliveries of a webhook.
    public static let finishedDeliveries = 100

    /// Maximum number of events that wait for a webhook, besides the last version; each further one
    /// supersedes the oldest.
    public static let waitingEvents = 100
}

extension Date {
    /// Milliseconds since 1970, the form in which engines store dates; clamped to about 30,000
    /// years around 1970.
    package var millisecondsSince1970: Int64 {
        let milliseconds = (timeIntervalSince1970 * 1_000).rounded()
        if milliseconds.isNaN { return 0 }
        return Int64(min(max(milliseconds, -1e15), 1e15))
    }

    package init(millisecondsSince1970 milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }

    package var roundedToMilliseconds: Date {
        Date(millisecondsSince1970: millisecondsSince1970)
    }
}
