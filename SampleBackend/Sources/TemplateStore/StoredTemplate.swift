public import Foundation
public import Templates

/// A published version of a template, as a store keeps it.
public struct StoredTemplate: Sendable, Hashable {
    /// The project's name.
    public let project: String

    /// Who published it, when and as what.
    public let version: TemplateVersion

    /// The template as JSON text, without `version`: byte for byte what was published.
    public let content: Data

    /// The revision of the publish.
    public let revision: StoreRevision

    /// Makes a stored template.
    public init(
        project: String, version: TemplateVersion, content: Data, revision: StoreRevision
    ) {
        self.project = project
        self.version = version
        self.content = content
        self.revision = revision
    }
}
