import JSONTree
import LinearRegex

/// The time and memory budget of one template's conditions, charged as they are parsed one after
/// the other.
///
/// Time is counted in steps of a few nanoseconds, for the worst case of a request in which every
/// signal has its maximum length. So no published template can stall a request, whatever signals it
/// has, and evaluation needs no counters.
///
/// Conditions that are already published are never refused: a condition over the budget is false
/// for every user, with the reason in ``TargetingCondition/excess``.
public final class ConditionBudget {
    /// Maximum number of steps that the conditions of a template may take for one request.
    public static let maximumSteps = 10_000_000

    /// Approximate limit on the numbers that the regular expressions of a template keep in memory.
    public static let maximumSize = 8_000_000

    /// True when the conditions are already published: none is refused then.
    let isPublished: Bool

    /// Remaining steps.
    private(set) var steps = maximumSteps

    /// Remaining size.
    private(set) var size = maximumSize

    /// True once an expression was refused; later ones are not compiled, since compiling takes time
    /// too.
    private var isExhausted = false

    /// Compiled regular expressions by their texts.
    private var expressions: [[ExactText]: RegularExpression] = [:]

    /// The searches charged so far.
    ///
    /// A request runs equal searches once, so they are charged once.
    private var searches: Set<Search> = []

    /// A search for regular expressions in a value.
    private struct Search: Sendable, Hashable {
        let subject: Subject
        let expression: RegularExpression
    }

    /// Creates a full budget.
    ///
    /// - Parameter isPublished: True when the conditions are already published.
    public init(isPublished: Bool = false) {
        self.isPublished = isPublished
    }

    /// Parses the regular expressions of a rule on a value, and charges their time and memory.
    ///
    /// Parses equal expressions once.
    ///
    /// - Throws: ``RegularExpressionError``, also when the budget does not suffice.
    func expression(
        _ patterns: [String], in subject: Subject
    ) throws(RegularExpressionError) -> RegularExpression {
        let texts = patterns.map { ExactText($0) }
        let expression: RegularExpression
        if let known = expressions[texts] {
            expression = known
        } else {
            guard !isExhausted else { throw Self.timeError }
            let new: RegularExpression
            do throws(RegularExpressionError) {
                new = try RegularExpression(
                    patterns, limitsRepetitions: !isPublished, maximumSize: size)
            } catch {
                guard error.kind == .overMaximumSize else { throw error }
                var located = Self.memoryError
                located.index = error.index
                throw located
            }
            size -= new.size
            guard size > 0 else {
                isExhausted = true
                throw Self.memoryError
            }
            expressions[texts] = new
            expression = new
        }
        let search = Search(subject: subject, expression: expression)
        guard searches.insert(search).inserted else { return expression }
        guard take(expression.stepsPerScalar * Signals.maximumValueLength) else {
            isExhausted = true
            throw Self.timeError
        }
        return expression
    }

    /// Charges the steps of a condition's rules, without its regular expressions; false when the
    /// budget does not suffice.
    func take(for root: ConditionNode) -> Bool {
        var seeds: Set<ExactText> = []
        var sum = 0
        root.forEachRule { rule in
            sum += rule.steps
            if case .percent(let seed, _, _) = rule.test, seeds.insert(ExactText(seed)).inserted {
                sum += Rule.stepsPerSeed
            }
        }
        return take(sum)
    }

    private func take(_ count: Int) -> Bool {
        guard count <= steps else { return false }
        steps -= count
        return true
    }

    /// The reason for refusing a condition that takes too long.
    static let timeReason =
        "with this, the template's conditions take more than \(maximumSteps) steps a request; use "
        + "fewer or simpler rules, such as lists in place of regular expressions"

    private static let timeError = RegularExpressionError(
        offset: 0, reason: timeReason, kind: .excess)

    private static let memoryError = RegularExpressionError(
        offset: 0,
        reason: "with this, the template's regular expressions take too much memory; use fewer or "
            + "simpler ones, such as lists in their place", kind: .excess)
}

@available(*, unavailable, message: "A template is parsed by one task.")
extension ConditionBudget: Sendable {}
