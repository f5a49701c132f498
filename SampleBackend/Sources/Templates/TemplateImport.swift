import JSONTree

/// An import of another product's export: a template, and a report of the differences.
public protocol TemplateImport: Sendable {
    /// The template, which passes every check of ``ValidatedTemplate``.
    var template: RemoteConfigTemplate { get }

    /// Differences from the original in content or behaviour, the most important ones first.
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

    /// What a remark is about, the most important first: remarks on users' values are never omitted
    /// for remarks on names.
    enum Subject: Int, CaseIterable {
        /// The whole file; only a few remarks.
        case file

        /// What users get.
        case values

        /// What users with unusual data get.
        case unusualValues

        /// Names, descriptions and the like.
        case names
    }

    /// The first remarks on each subject.
    private var found = [[ImportRemark]](repeating: [], count: Subject.allCases.count)

    private var count = 0

    /// The listed remarks, and one for the omitted ones.
    var remarks: [ImportRemark] {
        let listed = Array(found.joined().prefix(Self.maximumCount))
        guard count > listed.count else { return listed }
        return listed + [
            ImportRemark(
                path: "",
                message: "there are \(count - listed.count) more remarks, which are not listed")
        ]
    }

    /// Adds a remark.
    mutating func add(_ path: TemplatePath, _ message: String, on subject: Subject = .values) {
        add(ImportRemark(path: path.description, message: message), on: subject)
    }

    /// Adds a warning of the template's own checks.
    mutating func add(_ warning: TemplateProblem) {
        add(ImportRemark(path: warning.path, message: warning.message), on: .values)
    }

    private mutating func add(_ remark: @autoclosure () -> ImportRemark, on subject: Subject) {
        count += 1
        guard found[subject.rawValue].count < Self.maximumCount else { return }
        found[subject.rawValue].append(remark())
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
