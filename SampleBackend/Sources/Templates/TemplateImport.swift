import JSONTree

/// The import of another product's export: a template, and a report of differences.
public protocol TemplateImport: Sendable {
    /// The template, which passes every check of ``ValidatedTemplate``.
    var template: RemoteConfigTemplate { get }

    /// Differences from the original in content or behaviour; empty when there are none. Only the
    /// first 1,000 are listed, and one more remark says how many are not.
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

/// Collects the remarks of an import, and counts those beyond the limit.
struct ImportReport {
    /// The most remarks that are listed, since nobody reads more.
    static let maximumCount = 1_000

    private var listed: [ImportRemark] = []

    private var omittedCount = 0

    /// The remarks that are listed, and one on those that are not.
    var remarks: [ImportRemark] {
        guard omittedCount > 0 else { return listed }
        return listed + [
            ImportRemark(
                path: "",
                message: "there are \(omittedCount) more remarks, which are not listed")
        ]
    }

    /// Adds a remark.
    mutating func add(_ path: TemplatePath, _ message: String) {
        guard listed.count < Self.maximumCount else {
            omittedCount += 1
            return
        }
        listed.append(ImportRemark(path: path.description, message: message))
    }

    /// Adds a remark of the template's own checks.
    mutating func add(_ warning: TemplateProblem) {
        guard listed.count < Self.maximumCount else {
            omittedCount += 1
            return
        }
        listed.append(ImportRemark(path: warning.path, message: warning.message))
    }

    /// Adds the remark on a placeholder, which other services serve as plain text.
    mutating func addUserPlaceholder(_ path: TemplatePath) {
        add(
            path,
            "\"${user.id}\" in a string is replaced by the user's ID here; change the text if that "
                + "is not meant")
    }
}

extension String {
    /// True when the text has the placeholder of the user's ID.
    var namesUser: Bool { parts(between: "${user.id}").count > 1 }
}
