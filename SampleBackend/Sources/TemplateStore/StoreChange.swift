/// Something that changed in a store.
public struct StoreChange: Sendable, Hashable {
    /// What changed.
    public enum Subject: Sendable, Hashable {
        /// A version was published; read it with ``TemplateStore/template(version:inProject:)``.
        case template(project: String, version: Int)
        /// What is pinned for a user was changed or removed.
        case overrides(project: String, userID: String)
        /// A token was added or revoked.
        case tokens
        /// A webhook of a project was added or removed.
        case webhooks(project: String)
    }

    /// What changed.
    public let subject: Subject

    /// The revision of the change.
    public let revision: StoreRevision

    /// Makes a change.
    public init(_ subject: Subject, revision: StoreRevision) {
        self.subject = subject
        self.revision = revision
    }
}
