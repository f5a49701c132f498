public import Foundation
public import JSONTree

/// A condition that was parsed and checked, ready to be evaluated any number of times.
///
/// A rule on something that is not known of a user, such as a signal that was not sent, is
/// unknown: it makes a condition true neither by itself nor under `!`.
public struct TargetingCondition: Sendable, Hashable {
    /// The most characters of an expression.
    public static let maximumLength = 16_384

    /// The most rules in an expression.
    public static let maximumRules = 500

    /// How deep parentheses and `!` may be nested.
    public static let maximumNesting = 64

    /// What it says.
    let root: ConditionNode

    /// Whether `percent` stands anywhere in it: whether it makes an experiment.
    public var usesPercent: Bool { !seeds.isEmpty }

    /// The times that it compares the time of a request with, in their order: when its result may
    /// change while nothing else does.
    public let dates: [Date]

    /// The seeds of its `percent` rules, each once, in their order; "" for rules without one.
    public let seeds: [String]

    /// The elements in it that this backend keeps and does not evaluate, such as `app.audiences`,
    /// each once, in their order; a rule on one of them is false.
    public let unevaluatedElements: [String]

    /// Parses an expression of a client template.
    ///
    /// - Parameter expression: Such as `device.os == 'ios' && percent <= 10`.
    /// - Throws: ``ConditionSyntaxError`` with the column and what was expected.
    public init(expression: String) throws(ConditionSyntaxError) {
        var parser = try ConditionParser(expression)
        self.init(root: try parser.parse())
    }

    /// Reads the condition of a server template.
    ///
    /// - Parameter node: An object with `orCondition`, `andCondition`, `true`, `false`, `percent`
    ///   or `customSignal`.
    /// - Throws: ``ServerConditionError`` with the path and what was expected.
    public init(serverCondition node: JSONNode) throws(ServerConditionError) {
        self.init(root: try ServerConditionReader.read(node))
    }

    /// Makes a condition of its tree.
    private init(root: ConditionNode) {
        self.root = root
        var dates: [Date] = []
        var seeds: [String] = []
        var elements: [String] = []
        for rule in root.rules {
            switch rule.test {
            case .date(_, let date): dates.append(date)
            case .percent(let seed, _, _): if !seeds.contains(seed) { seeds.append(seed) }
            case .unevaluated(let name): if !elements.contains(name) { elements.append(name) }
            default: break
            }
        }
        self.dates = dates
        self.seeds = seeds
        self.unevaluatedElements = elements
    }
}
