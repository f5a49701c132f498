import ActiveConfig
import JSONTree
import OrderedCollections

/// All problems of a template that cannot be published, each with its place.
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

    /// A sentence for each problem, a line each.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// A problem of a template, or a remark, with its place.
public struct TemplateProblem: Sendable, Hashable, CustomStringConvertible {
    /// The place, such as `parameterGroups.Home.parameters.title.conditionalValues.beta` or
    /// `conditions[3].expression`; "" at the template itself.
    public let path: String

    /// The fault and what to do, without the place and without a full stop.
    public let message: String

    /// The column in the text at the path, from 1, of an expression that cannot be parsed.
    public let column: Int?

    /// Creates a problem.
    public init(path: String, message: String, column: Int? = nil) {
        self.path = path
        self.message = message
        self.column = column
    }

    /// The last problem of a list that leaves some out.
    package static func omitted(_ count: Int) -> TemplateProblem {
        TemplateProblem(path: "", message: "there are \(count) more problems, which are not listed")
    }

    /// One sentence with the place.
    public var description: String {
        let place = path.isEmpty ? "the template" : path
        return column.map { "In \(place), column \($0): \(message)." } ?? "In \(place): \(message)."
    }
}

/// Collects the problems of a template while it is read.
struct ProblemCollector {
    private var listed: [TemplateProblem] = []

    private var omittedCount = 0

    /// Problems that keep the template from being published, and one on those that are not listed.
    var problems: [TemplateProblem] {
        guard omittedCount > 0 else { return listed }
        return listed + [
            .omitted(omittedCount)
        ]
    }

    /// Remarks on fields that are kept and not evaluated.
    private(set) var warnings: [TemplateProblem] = []

    /// The most problems, and the most remarks, that are listed, since nobody reads more.
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

    /// Adds a remark on a field that is kept and not evaluated.
    mutating func warn(_ path: TemplatePath, _ message: String) {
        guard hasRoomForWarnings else { return }
        warnings.append(TemplateProblem(path: path.description, message: message))
    }

    /// Reports a name that is too long.
    mutating func checkLength(of name: String, _ path: TemplatePath, _ maximumLength: Int) {
        guard name.isLonger(than: maximumLength) else { return }
        add(path, "the name has \(name.characterCount) characters; use at most \(maximumLength)")
    }

    /// The members of an object; a problem, and no members, for another kind of value.
    mutating func object(
        _ node: JSONNode, _ path: TemplatePath
    ) -> OrderedDictionary<String, JSONNode> {
        if case .object(let members) = node { return members }
        add(path, "it is \(node.kindDescription); make it an object")
        return [:]
    }

    /// A text that may be missing; a problem when it is another kind of value or too long.
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

extension OrderedDictionary<String, JSONNode> {
    /// Removes and returns a member; nil when it is absent or `null`, which exporters write for
    /// absent values.
    mutating func removePresentValue(forKey key: String) -> JSONNode? {
        let node = removeValue(forKey: key)
        return node == .null ? nil : node
    }
}
