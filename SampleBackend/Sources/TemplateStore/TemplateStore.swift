package import Foundation

/// A store of templates and their versions, drafts, details of projects, overrides, tokens,
/// sessions, webhooks and the audit trail.
///
/// A store is composed of parts, so that an engine can be written and read part by part. The
/// protocol suits engines that are one file and engines that are many machines: no call assumes
/// that this process is the only writer. To keep a copy of the content, read a
/// ``ChangeFeed/snapshot()`` and then follow ``ChangeFeed/changes(since:)`` from its revision.
///
/// Every change is durable before its call returns. All but a draft's is stored with its entry in
/// the audit trail, or not at all: the parts of one store share their transactions.
public protocol TemplateStore:
    TemplateStoring, DraftStoring, ProjectDetailsStoring, OverridesStoring, TokenStoring,
    SessionStoring, AuditStoring, WebhookStoring, ChangeFeed
{
    /// Returns when the store can be read and written, and throws when it cannot.
    func checkReadiness() async throws(TemplateStoreError)

    /// Closes files and connections, and ends every sequence of changes.
    ///
    /// Later calls throw ``TemplateStoreError`` with the code `unavailable`.
    func close() async
}

/// Limits that every engine keeps (API 3).
public enum TemplateStoreLimits: Sendable {
    /// The most versions of a project that are kept, always including the current one.
    public static let keptVersions = 300

    /// The most users of a project for whom values may be pinned.
    public static let usersWithOverrides = 10_000

    /// The number of changes that an engine keeps for readers of ``ChangeFeed/changes(since:)``.
    public static let keptChanges = 10_000

    /// The least time between two recorded uses of a token, in seconds.
    public static let secondsBetweenRecordedUses = 60

    /// The most entries of the audit trail that are returned at once.
    public static let auditPage = 1_000

    /// The most webhooks of a project.
    public static let webhooks = 20

    /// The most finished deliveries of a webhook that are kept.
    public static let finishedDeliveries = 100
}

extension Date {
    /// Milliseconds since 1970, as engines store dates; clamped to about 30,000 years around it.
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
