import JSONTree

/// An import of another product's export: a template, and a report of the differences.
public protocol TemplateImport: Sendable {
    /// The template, which passes every check of ``ValidatedTemplate``.
    var template: RemoteConfigTemplate { get }

    /// Differences from the original in content or behaviour.
    ///
    /// Lists at most 1,000; one more remark gives the number of omitted ones.
    var report: [ImportRemark] { get }
}

/// A change that an import made, or a difference in behaviour.
public struct ImportRemark: Sendable, Hashable, CustomStringConvertible {
    /// The place in the imported file, such as `params.title`; "" for the file itself.
    public let path: String

    /// The difference and the advice, without the place and without a full stop.
    public let message: String

    /// Creates a remark.
    ///
    /// - Parameters:
    ///   - path: The place in the imported file.
    ///   - message: The difference and the advice.
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
    /// Maximum number of listed remarks.
    static let maximumCount = 1_000

    private var listed: [ImportRemark] = []

    private var omittedCount = 0

    /// The listed remarks, and one for the omitted ones.
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

    /// Adds a warning of the template's own checks.
    mutating func add(_ warning: TemplateProblem) {
        guard listed.count < Self.maximumCount else {
            omittedCount += 1
            return
        }
        listed.append(ImportRemark(path: warning.path, message: warning.message))
    }

    /// Adds a remark on a placeholder, which other services serve unchanged.
    mutating func addUserPlaceholder(_ path: TemplatePath) {
        add(
            path,
            "\"${user.id}\" in a string is replaced by the user's ID here; change the text if this "
                + "is not intended")
    }
}

extension String {
    /// True when the text contains the placeholder of the user's ID.
    var namesUser: Bool { parts(between: "${user.id}").count > 1 }
}
