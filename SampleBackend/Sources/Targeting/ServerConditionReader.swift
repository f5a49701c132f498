import JSONTree
import LinearRegex

/// Reads the conditions of server templates as Firebase's evaluator does.
///
/// Whatever that evaluator treats as false, such as an unknown operator, is false here too; a value
/// of the wrong shape is an error.
struct ServerConditionReader {
    /// Maximum number of conditions in `orCondition` and `andCondition`, as in Firebase.
    static let maximumOperands = 100

    /// Maximum number of target values of a `customSignal`, as in Firebase.
    static let maximumTargets = 100

    /// The budget that all conditions of the template share.
    private let budget: ConditionBudget

    /// The first limit that a published condition exceeds; an unpublished condition is refused at
    /// once.
    private(set) var excess: String?

    /// Charges the budget for each condition.
    init(budget: ConditionBudget) {
        self.budget = budget
    }

    /// The level at which Firebase's evaluator stops; a condition at this level is false.
    static let maximumLevel = 10

    mutating func read(_ node: JSONNode) throws(ServerConditionError) -> ConditionNode {
        try read(node, at: "", level: 0)
    }

    /// Refuses a condition over a limit, or records the limit in `excess` if the condition is
    /// already published.
    private mutating func exceed(
        _ path: String, _ reason: String
    ) throws(ServerConditionError) {
        guard budget.isPublished else { throw ServerConditionError(path: path, reason: reason) }
        excess = excess ?? reason
    }

    /// Reads a condition at a level; the maximum level bounds the recursion.
    private mutating func read(
        _ node: JSONNode, at path: String, level: Int
    ) throws(ServerConditionError) -> ConditionNode {
        let fields = try Fields(node, at: path)
        guard level < Self.maximumLevel else {
            return Self.never("the conditions are nested too deep: Firebase allows four levels")
        }
        if let compound = try fields.object("orCondition") {
            return .any(try readOperands(of: compound, level: level))
        }
        if let compound = try fields.object("andCondition") {
            return .all(try readOperands(of: compound, level: level))
        }
        if try fields.object("true") != nil { return .constant(true) }
        if try fields.object("false") != nil { return .constant(false) }
        if let percent = try fields.object("percent") { return try readPercent(percent) }
        if let signal = try fields.object("customSignal") { return try readSignal(signal) }
        return Self.never("the condition has no known kind")
    }

    private mutating func readOperands(
        of compound: Fields, level: Int
    ) throws(ServerConditionError) -> [ConditionNode] {
        var nodes: [ConditionNode] = []
        let operands = try compound.array("conditions") ?? []
        if operands.count > Self.maximumOperands {
            try exceed(
                compound.path("conditions"),
                "there are \(operands.count); use at most \(Self.maximumOperands) conditions")
        }
        for (index, operand) in operands.enumerated() {
            let path = "\(compound.path("conditions"))[\(index)]"
            nodes.append(try read(operand, at: path, level: level + 2))
        }
        return nodes
    }

    /// Reads `percent`.
    private func readPercent(
        _ percent: Fields
    ) throws(ServerConditionError) -> ConditionNode {
        let seed = try percent.string("seed") ?? ""
        let bound = try percent.micro("microPercent")
        let range = try percent.object("microPercentRange")
        let lower = try range?.micro("microPercentLowerBound") ?? 0
        let upper = try range?.micro("microPercentUpperBound") ?? 0
        guard let name = try percent.string("percentOperator") else {
            return Self.never("the percent rule has no operator")
        }
        let (above, upTo): (Int, Int)
        let text: String
        switch name {
        case "LESS_OR_EQUAL":
            (above, upTo) = (-1, bound)
            text = "<= \(Percentile.percentText(bound))"
        case "GREATER_THAN":
            (above, upTo) = (bound, Percentile.count)
            text = "> \(Percentile.percentText(bound))"
        case "BETWEEN":
            (above, upTo) = (lower, upper)
            text =
                "between \(Percentile.percentText(lower)) and \(Percentile.percentText(upper))"
        default: return Self.never("the operator '\(name.shortened)' is unknown")
        }
        let subject = seed.isEmpty ? "percent" : "percent('\(seed)')"
        return .rule(
            Rule(
                test: .percent(seed: seed, above: above, upTo: upTo), isNegated: false,
                text: "\(subject) \(text)"))
    }

    /// Reads `customSignal`.
    private mutating func readSignal(
        _ signal: Fields
    ) throws(ServerConditionError) -> ConditionNode {
        let key = try signal.string("customSignalKey") ?? ""
        let targets = try signal.strings("targetCustomSignalValues")
        guard let name = try signal.string("customSignalOperator"), !name.isEmpty, !key.isEmpty,
            let first = targets.first
        else {
            return Self.never("the custom signal rule lacks its operator, key or target values")
        }
        if targets.count > Self.maximumTargets {
            try exceed(
                signal.path("targetCustomSignalValues"),
                "there are \(targets.count); use at most \(Self.maximumTargets) values")
        }
        if key.isLonger(than: Signals.maximumNameLength) {
            try exceed(
                signal.path("customSignalKey"),
                "it is longer than \(Signals.maximumNameLength) characters; no signal can be sent")
        }
        let subject = Subject.signal(.custom(ExactText(key)))
        let test: Rule.Test
        switch name {
        case "STRING_CONTAINS", "STRING_DOES_NOT_CONTAIN": test = .contains(subject, targets)
        case "STRING_EXACTLY_MATCHES":
            let trimmed = targets.map { String(ScriptNumber.trimmed($0)) }
            test = .isOneOf(subject, trimmed, isTrimmed: true)
        case "STRING_CONTAINS_REGEX":
            test = try readExpressions(targets, in: subject, of: signal)
        default:
            if let comparison = Self.comparison(name, after: "NUMERIC_") {
                test = .number(subject, comparison, ScriptNumber.value(of: first))
            } else if let comparison = Self.comparison(name, after: "SEMANTIC_VERSION_") {
                if let version = VersionNumber(signal: first) {
                    test = .version(subject, comparison, version)
                } else {
                    test = .never(
                        reason: "the version '\(first.shortened)' has more than five numbers")
                }
            } else {
                return Self.never("the operator '\(name.shortened)' is unknown")
            }
        }
        let list = targets.map { "'\($0)'" }.joined(separator: ", ")
        return .rule(
            Rule(
                test: test, isNegated: name == "STRING_DOES_NOT_CONTAIN",
                text: "\(subject.name) \(name) [\(list)]"))
    }

    /// Parses the regular expressions of a rule.
    private mutating func readExpressions(
        _ patterns: [String], in subject: Subject, of signal: Fields
    ) throws(ServerConditionError) -> Rule.Test {
        do throws(RegularExpressionError) {
            return .matches(subject, try budget.expression(patterns, in: subject))
        } catch {
            let located = ServerConditionError(
                path: "\(signal.path("targetCustomSignalValues"))[\(error.index)]",
                reason: "character \(error.offset + 1) of the regular expression: \(error.reason)")
            guard error.kind != .syntax else { throw located }
            try exceed(located.path, located.reason)
            return .never(reason: error.reason)
        }
    }

    /// The comparison in an operator's name, after the prefix.
    private static func comparison(_ name: String, after prefix: String) -> Comparison? {
        guard name.utf8.starts(with: prefix.utf8) else { return nil }
        return switch String(Substring(name.utf8.dropFirst(prefix.utf8.count))) {
        case "LESS_THAN": .less
        case "LESS_EQUAL": .lessOrEqual
        case "EQUAL": .equal
        case "NOT_EQUAL": .notEqual
        case "GREATER_EQUAL": .greaterOrEqual
        case "GREATER_THAN": .greater
        default: nil
        }
    }

    /// A rule that is false, with the reason.
    private static func never(_ reason: String) -> ConditionNode {
        .rule(Rule(test: .never(reason: reason), isNegated: false, text: "false"))
    }
}
