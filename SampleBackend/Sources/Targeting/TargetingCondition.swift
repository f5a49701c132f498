public import Foundation
public import JSONTree

/// A parsed and checked condition, which can be evaluated any number of times.
///
/// A rule on a missing value, such as a signal that was not sent, is unknown: neither the rule nor
/// its negation makes a condition true.
public struct TargetingCondition: Sendable, Hashable {
    /// Maximum length of an expression, in Unicode scalars.
    public static let maximumLength = 16_384

    /// Maximum number of rules in an expression.
    public static let maximumRules = 500

    /// Maximum nesting of parentheses and `!`.
    public static let maximumNesting = 64

    let root: ConditionNode

    /// The reason why a published condition is false for every user; nil when it is evaluated.
    ///
    /// The condition exceeds a limit, or the budget of its template.
    public let excess: String?

    /// A Boolean value that indicates whether the condition uses `percent`, which makes it an
    /// experiment.
    public var usesPercent: Bool { !seeds.isEmpty }

    /// The dates in the condition, in source order.
    ///
    /// Its result can change at these times without any other change.
    public let dates: [Date]

    /// The seeds of the `percent` rules in source order, without duplicates; "" for rules without a
    /// seed.
    public let seeds: [String]

    /// A Boolean value that indicates whether the condition names single users: it has a rule on
    /// `user.id`.
    public let namesUsers: Bool

    /// The elements in it that this backend keeps but does not evaluate, such as `app.audiences`,
    /// without duplicates, in their order; a rule on one of them is never true.
    public let unevaluatedElements: [String]

    /// Parses an expression of a client template.
    ///
    /// - Parameter expression: The text, such as `device.os == 'ios' && percent <= 10`.
    /// - Throws: ``ConditionSyntaxError`` with the column and what was expected.
    public init(expression: String) throws(ConditionSyntaxError) {
        try self.init(expression: expression, budget: ConditionBudget())
    }

    /// Parses an expression that shares a template's budget with others.
    ///
    /// - Parameters:
    ///   - expression: The text, such as `device.os == 'ios' && percent <= 10`.
    ///   - budget: The remaining time and memory for the template's conditions; this condition's
    ///     share is deducted.
    /// - Throws: ``ConditionSyntaxError`` with the column and what was expected, also when the
    ///   budget does not suffice, unless the conditions are already published.
    public init(
        expression: String, budget: ConditionBudget
    ) throws(ConditionSyntaxError) {
        var parser = try ConditionParser(expression, budget: budget)
        let root = try parser.parse()
        var excess = parser.excess
        if excess == nil, !budget.take(for: root) {
            guard budget.isPublished else {
                throw ConditionSyntaxError(column: 1, reason: ConditionBudget.timeReason)
            }
            excess = ConditionBudget.timeReason
        }
        self.init(root: root, excess: excess)
    }

    /// Reads the condition of a server template.
    ///
    /// - Parameter node: An object with `orCondition`, `andCondition`, `true`, `false`, `percent`
    ///   or `customSignal`.
    /// - Throws: ``ServerConditionError`` with the path and what was expected.
    public init(serverCondition node: JSONNode) throws(ServerConditionError) {
        try self.init(serverCondition: node, budget: ConditionBudget())
    }

    /// Reads a condition of a server template that shares the template's budget with others.
    ///
    /// - Parameters:
    ///   - node: An object as above.
    ///   - budget: The remaining time and memory for the template's conditions; this condition's
    ///     share is deducted.
    /// - Throws: ``ServerConditionError`` with the path and what was expected, also when the budget
    ///   does not suffice, unless the conditions are already published.
    public init(
        serverCondition node: JSONNode, budget: ConditionBudget
    ) throws(ServerConditionError) {
        var reader = ServerConditionReader(budget: budget)
        let root = try reader.read(node)
        var excess = reader.excess
        if excess == nil, !budget.take(for: root) {
            guard budget.isPublished else {
                throw ServerConditionError(path: "", reason: ConditionBudget.timeReason)
            }
            excess = ConditionBudget.timeReason
        }
        self.init(root: root, excess: excess)
    }

    private init(root: ConditionNode, excess: String?) {
        self.excess = excess
        guard excess == nil else {
            self.root = .rule(
                Rule(
                    test: .never(reason: "the condition takes too much time or memory"),
                    isNegated: false, text: "false"))
            (dates, seeds, unevaluatedElements) = ([], [], [])
            // A condition that costs too much to evaluate names its users nevertheless.
            var namesUsers = false
            root.forEachRule { if case .isOneOf(.userID, _, _) = $0.test { namesUsers = true } }
            self.namesUsers = namesUsers
            return
        }
        self.root = root
        var dates: [Date] = []
        var seeds: [String] = []
        var knownSeeds: Set<ExactText> = []
        var elements: [String] = []
        var knownElements: Set<ExactText> = []
        var namesUsers = false
        root.forEachRule { rule in
            switch rule.test {
            case .date(_, let date, _): dates.append(date)
            case .isOneOf(.userID, _, _): namesUsers = true
            case .percent(let seed, _, _):
                if knownSeeds.insert(ExactText(seed)).inserted { seeds.append(seed) }
            case .unevaluated(let name):
                if knownElements.insert(ExactText(name)).inserted { elements.append(name) }
            default: break
            }
        }
        self.dates = dates
        self.seeds = seeds
        self.unevaluatedElements = elements
        self.namesUsers = namesUsers
    }
}

extension TargetingCondition {
    /// Writes the condition for a server template, which Firebase's server libraries evaluate.
    ///
    /// The result is true for the same users as the condition, given that a library's context has
    /// their signals by the names of OFREP's attributes, such as `plan` and `app.version`. A rule
    /// that has no counterpart counts as false, also if it is negated.
    ///
    /// - Parameter date: The time that `dateTime` has.
    /// - Returns: An object with `orCondition` and so on, as ``init(serverCondition:)`` reads it,
    ///   or nil for a condition that is true for everyone; and a sentence, without a full stop, for
    ///   each part that counts as false.
    public func serverCondition(at date: Date) -> (json: JSONNode?, remarks: [String]) {
        var writer = ServerConditionWriter(date: date)
        let json = writer.write(root)
        return (json, writer.remarks)
    }
}

/// A syntax error in an expression, with its column and what was expected there.
public struct ConditionSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The column, from 1, in Unicode scalars.
    public let column: Int

    /// The fault and the fix, without the position and without a full stop.
    public let reason: String

    /// One sentence with the position.
    public var description: String { "Column \(column): \(reason)." }
}

/// An error in the condition of a server template, with its path.
public struct ServerConditionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path within the condition, such as `orCondition.conditions[0].percent`; "" at its top.
    public let path: String

    /// The fault and the fix, without the position and without a full stop.
    public let reason: String

    /// One sentence with the position.
    public var description: String {
        path.isEmpty ? "In the condition: \(reason)." : "In \(path): \(reason)."
    }
}
