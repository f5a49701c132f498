public import Foundation

/// All that a server needs to answer clients, as it was at one revision.
public struct TemplateStoreSnapshot: Sendable, Hashable {
    /// The current template of each project.
    public let templates: [StoredTemplate]

    /// What is pinned, by project and user ID (its UTF-8 bytes, since user IDs are compared so).
    public let overrides: [String: [Data: Data]]

    /// The revision.
    public let revision: StoreRevision

    /// Makes a snapshot.
    public init(
        templates: [StoredTemplate], overrides: [String: [Data: Data]], revision: StoreRevision
    ) {
        self.templates = templates
        self.overrides = overrides
        self.revision = revision
    }
}
