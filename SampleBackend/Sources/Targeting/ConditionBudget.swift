import LinearRegex

/// The time and memory budget of the conditions of one template, charged while they are
/// parsed one after the other.
///
/// Time is counted in steps of a few nanoseconds: the worst case of a request in which every signal
/// has its maximum length. So no published template holds up a request, whatever signals are sent,
/// and nothing has to be counted while a request is answered.
///
/// Conditions that were published already are never refused: one over the budget is false for
/// everybody, and ``TargetingCondition/excess`` says so.
public final class ConditionBudget {
    /// The most steps that the conditions of a template may take for one request.
    public static let maximumSteps = 10_000_000

    /// Rough limit of the numbers that the regular expressions of a template keep in memory.
    public static let maximumSize = 8_000_000

    /// Whether the conditions were published already: then none is refused.
    let isPublished: Bool

    /// The steps that are left.
    private(set) var steps = maximumSteps

    /// The size that is left.
    private(set) var size = maximumSize

    /// Set once an expression was refused: no more are compiled, since that takes time too.
    private var isExhausted = false

    /// The regular expressions so far, by their texts.
    private var expressions: [[ExactText]: RegularExpression] = [:]

    /// The searches per value; each is done once a request, so equal ones are charged once.
    private var searches: Set<Search> = []

    /// A search for regular expressions in a value.
    private struct Search: Sendable, Hashable {
        let subject: Subject
        let expression: RegularExpression
    }

    /// Makes a full budget.
    ///
    /// - Parameter isPublished: Whether the conditions were published already.
    public init(isPublished: Bool = false) {
        self.isPublished = isPublished
    }

    /// Parses regular expressions that are looked for in a value, and takes what they need.
    ///
    /// - Parameters:
    /// - patterns: The texts of the expressions.
    /// - subject: The value.
    /// - Returns: The expressions; equal ones are parsed once.
    /// - Throws: ``RegularExpressionError``, also when the budget is too small.
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

    /// Charges the steps of a condition's rules, without its regular expressions.
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

    /// Why a condition is refused that takes too long.
    static let timeReason =
        "with this, the template's conditions take more than \(maximumSteps) steps a request; use "
        + "fewer or simpler rules, such as lists in place of regular expressions"

    /// The error of expressions that take too long.
    private static let timeError = RegularExpressionError(
        offset: 0, reason: timeReason, kind: .excess)

    /// The error of expressions that take too much memory.
    private static let memoryError = RegularExpressionError(
        offset: 0,
        reason: "with this, the template's regular expressions take too much memory; use fewer or "
            + "simpler ones, such as lists in their place", kind: .excess)
}

@available(*, unavailable, message: "A template is parsed by one task.")
extension ConditionBudget: Sendable {}
