import HTTPServing

/// A type that is the entity tag of a template: `etag-<project>-<version>`, as Firebase writes it.
///
/// It stands in `ETag` without quotation marks, as Firebase's does, and is read with and without.
struct TemplateTag: Sendable, Hashable, CustomStringConvertible {
    /// The project.
    let project: String

    /// The version; 0 is that of a template that was checked and not stored, and of no template.
    let version: Int

    /// The tag as it stands in `ETag`.
    var description: String { "etag-\(project)-\(version)" }

    /// Makes the tag of a version.
    init(project: String, version: Int) {
        self.project = project
        self.version = version
    }

    /// Reads a tag, or gives nil when it is another project's, or none.
    ///
    /// - Parameters:
    ///   - text: The tag, with or without quotation marks and `W/`.
    ///   - project: The project it has to be of.
    init?(_ text: String, project: String) {
        var text = text[...]
        if text.hasPrefix("W/") { text = text.dropFirst(2) }
        if text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") {
            text = text.dropFirst().dropLast()
        }
        let prefix = "etag-\(project)-"
        guard text.hasPrefix(prefix), let version = Int(decimal: text.dropFirst(prefix.count))
        else {
            return nil
        }
        self.init(project: project, version: version)
    }
}
