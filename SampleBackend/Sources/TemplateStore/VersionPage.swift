public import Templates

/// A part of the list of a project's versions.
public struct VersionPage: Sendable, Hashable {
    /// The versions, newest first.
    public let versions: [TemplateVersion]

    /// The newest version that the query meant and the page has no room for, or nil.
    ///
    /// A query with it as ``VersionQuery/endVersion`` gives the next page.
    public let nextVersion: Int?

    /// Makes a page.
    public init(versions: [TemplateVersion], nextVersion: Int?) {
        self.versions = versions
        self.nextVersion = nextVersion
    }
}
