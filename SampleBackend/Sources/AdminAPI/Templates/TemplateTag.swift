import HTTPServing

/// The entity tag of a template, in Firebase's format: `etag-<project>-<version>`.
///
/// `ETag` has it in quotation marks (RFC 9110, 8.8.3), since nginx drops unquoted tags when it
/// compresses. `If-Match` is accepted with and without them, since Firebase's tags are unquoted.
struct TemplateTag: Sendable, Hashable, CustomStringConvertible {
    let project: String

    /// 0 for no template and for a template that was only validated.
    let version: Int

    /// The tag without quotation marks.
    var description: String { "etag-\(project)-\(version)" }

    /// The value of `ETag`.
    var entityTag: String { "\"\(self)\"" }

    init(project: String, version: Int) {
        self.project = project
        self.version = version
    }

    /// Parses a tag with or without quotation marks and `W/`; nil when it is malformed or belongs
    /// to another project.
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
