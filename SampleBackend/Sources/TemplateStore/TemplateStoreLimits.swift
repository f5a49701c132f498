/// What a store keeps (HTTP 3).
public enum TemplateStoreLimits: Sendable {
    /// The versions of a project that are kept, the current one always among them.
    public static let keptVersions = 300

    /// The users of a project for whom values may be pinned.
    public static let usersWithOverrides = 10_000

    /// The newest changes that an engine keeps for those who follow them.
    public static let keptChanges = 10_000

    /// The seconds that have to pass until the use of a token is written again.
    public static let secondsBetweenRecordedUses = 60

    /// The most entries of the audit trail that are given at once.
    public static let auditPage = 1_000

    /// The webhooks of a project.
    public static let webhooks = 20

    /// The finished deliveries of a webhook that are kept.
    public static let finishedDeliveries = 100
}
