/// The import of another product's export: a template, and a report of differences.
public protocol TemplateImport: Sendable {
    /// The template, which passes every check of ``ValidatedTemplate``.
    var template: RemoteConfigTemplate { get }

    /// Differences from the original in content or behaviour; empty when there are none.
    var report: [ImportRemark] { get }
}

/// A change that an import made, or a difference in behaviour.
public struct ImportRemark: Sendable, Hashable, CustomStringConvertible {
    /// The place in the file that was imported, such as `params.title`; "" at the file itself.
    public let path: String

    /// The difference and what to do, without the place and without a full stop.
    public let message: String

    /// Creates a remark.
    ///
    /// - Parameters:
    ///   - path: The place in the file that was imported.
    ///   - message: The difference and what to do.
    public init(path: String, message: String) {
        self.path = path
        self.message = message
    }

    /// One sentence with the place.
    public var description: String {
        path.isEmpty ? "In the file: \(message)." : "In \(path): \(message)."
    }
}
