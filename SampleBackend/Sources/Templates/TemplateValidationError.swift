import ActiveConfig
import JSONTree

/// All problems of a template that cannot be published, with their paths.
public struct TemplateValidationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problems in the order of the template; never empty.
    public let problems: [TemplateProblem]

    /// Creates an error.
    public init(problems: [TemplateProblem]) {
        self.problems = problems
    }

    /// Creates an error from text that is not JSON.
    init(_ error: ConfigurationFormatError) {
        problems = [
            TemplateProblem(
                path: error.path,
                message: "the text is not valid JSON at line \(error.line ?? 1), column "
                    + "\(error.column ?? 1): \(error.reason)")
        ]
    }

    /// One sentence for each problem, one per line.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// A problem or a remark about a template, with its path.
public struct TemplateProblem: Sendable, Hashable, CustomStringConvertible {
    /// The path, such as `parameterGroups.Home.parameters.title.conditionalValues.beta` or
    /// `conditions[3].expression`; "" for the template itself.
    public let path: String

    /// The fault and the fix, without the path and without a full stop.
    public let message: String

    /// The column in the text at the path, from 1, for an expression that cannot be parsed.
    public let column: Int?

    /// Creates a problem.
    public init(path: String, message: String, column: Int? = nil) {
        self.path = path
        self.message = message
        self.column = column
    }

    /// The last entry of a list that omits problems.
    package static func omitted(_ count: Int) -> TemplateProblem {
        TemplateProblem(path: "", message: "there are \(count) more problems, which are not listed")
    }

    /// One sentence with the path.
    public var description: String { description(in: "the template") }

    /// One sentence with the path; `content` names what has the problem, where the path is "".
    package func description(in content: String) -> String {
        let place = path.isEmpty ? content : path
        return column.map { "In \(place), column \($0): \(message)." } ?? "In \(place): \(message)."
    }
}

/// Collects the problems of a template while it is read.
struct ProblemCollector {
    private var listed: [TemplateProblem] = []

    private var omittedCount = 0

    /// The problems that prevent publishing, and one for the omitted ones.
    var problems: [TemplateProblem] {
        guard omittedCount > 0 else { return listed }
        return listed + [
            .omitted(omittedCount)
        ]
    }

    /// Remarks on fields that are kept but not evaluated.
    private(set) var warnings: [TemplateProblem] = []

    /// Maximum number of listed problems, and of listed remarks.
    private static let maximumCount = 1_000

    /// Adds a problem.
    mutating func add(_ path: TemplatePath, _ message: String, column: Int? = nil) {
        guard listed.count < Self.maximumCount else {
            omittedCount += 1
            return
        }
        listed.append(
            TemplateProblem(path: path.description, message: message, column: column))
    }

    /// True while remarks are still collected.
    var hasRoomForWarnings: Bool { warnings.count < Self.maximumCount }

    /// Adds a remark on a field that is kept but not evaluated.
    mutating func warn(_ path: TemplatePath, _ message: String) {
        guard hasRoomForWarnings else { return }
        warnings.append(TemplateProblem(path: path.description, message: message))
    }

    /// Reports a name that is too long.
    mutating func checkLength(of name: String, _ path: TemplatePath, _ maximumLength: Int) {
        guard name.isLonger(than: maximumLength) else { return }
        add(path, "the name has \(name.characterCount) characters; use at most \(maximumLength)")
    }

    /// The members of an object; reports a problem, and returns no members, for another kind of
    /// value.
    mutating func object(
        _ node: JSONNode, _ path: TemplatePath
    ) -> NamedValues<JSONNode> {
        if case .object(let members) = node { return members }
        add(path, "it is \(node.kindDescription); make it an object")
        return [:]
    }

    /// An optional text; reports a problem when it is another kind of value or too long.
    mutating func text(
        _ node: JSONNode?, _ path: TemplatePath, maximumLength: Int = .max
    ) -> String? {
        switch node {
        case nil, .null: return nil
        case .string(let text):
            if text.isLonger(than: maximumLength) {
                add(path, "it has \(text.characterCount) characters; use at most \(maximumLength)")
            }
            return text
        case let node?:
            add(path, "it is \(node.kindDescription); make it a string")
            return nil
        }
    }
}

extension NamedValues<JSONNode> {
    /// Removes and returns a member; nil when it is absent or `null`, which exporters write for
    /// absent values.
    mutating func removePresentValue(forKey key: String) -> JSONNode? {
        let node = removeValue(forKey: key)
        return node == .null ? nil : node
    }
}
