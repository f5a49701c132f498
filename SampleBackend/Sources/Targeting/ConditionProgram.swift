import Foundation
import LinearRegex

/// The conditions of a template as one program of rules and jumps.
///
/// Each signal is read once per evaluation. Texts that rules compare for equality are interned, so
/// most rules compare two integers. `!` is pushed down to the rules (De Morgan), after which an
/// unknown rule can count as false: the result is true exactly when Kleene's is.
struct ConditionProgram: Sendable {
    /// A rule as plain data, so that copying it counts no references.
    enum Operation: Sendable {
        /// The user's percentile is above one bound and at most the other.
        case percent(seed: Int, above: Int, upTo: Int)
        /// The value equals a text, by its number.
        case equals(slot: Int, literal: Int)
        /// The value equals one of the texts, by their numbers.
        case isOneOf(slot: Int, start: Int, end: Int)
        /// The value contains a part.
        case contains(slot: Int, list: Int)
        /// A regular expression is found in the value.
        case matches(slot: Int, search: Int)
        /// The value compares as a number.
        case number(slot: Int, Comparison, Double)
        /// The value compares as a version.
        case version(slot: Int, Comparison, target: Int)
        /// The time compares, in seconds.
        case date(Comparison, Double)
    }

    /// A rule and its jumps.
    struct Instruction: Sendable {
        let operation: Operation
        let isNegated: Bool
        /// The next instruction when the rule is true; ``accept``, or ``reject``.
        var onTrue: Int
        /// The next instruction when the rule is false or unknown.
        var onFalse: Int
    }

    /// Jump target of a true condition.
    static let accept = -1

    /// Jump target of a false or unknown condition.
    static let reject = -2

    private(set) var instructions: [Instruction] = []

    /// The first instruction of each condition.
    private(set) var entries: [Int] = []

    private(set) var slots: [Slot] = []

    /// The hashed prefix of each seed.
    private(set) var seeds: [[UInt8]] = []

    /// The numbers of texts, sorted within the range of each rule.
    private(set) var literals: [Int] = []

    private(set) var parts: [[TextSearch]] = []

    /// The regular expressions, each once for each value that it is searched in.
    private(set) var expressions: [RegularExpression] = []

    private(set) var versions: [VersionNumber] = []

    /// Indexes into ``slots``.
    private var slotNumbers: [Slot.Key: Int] = [:]

    /// Indexes into ``seeds``.
    private var seedNumbers: [ExactText: Int] = [:]

    /// Indexes into ``expressions``.
    private var searchNumbers: [Search: Int] = [:]

    /// A search for regular expressions in a value.
    private struct Search: Sendable, Hashable {
        let slot: Int
        let expression: RegularExpression
    }

    init(_ conditions: [TargetingCondition]) {
        for condition in conditions {
            let tree = Branch(condition.root, isNegated: false)
            entries.append(emit(tree, onTrue: Self.accept, onFalse: Self.reject))
        }
    }

    /// Appends a tree backwards, last instruction first, and returns its first instruction; the
    /// parsers' limits bound the recursion.
    ///
    /// `onTrue` and `onFalse` are the instructions or jump targets to continue at.
    private mutating func emit(_ tree: Branch, onTrue: Int, onFalse: Int) -> Int {
        switch tree {
        case .constant(let value): return value ? onTrue : onFalse
        case .rule(let rule, let isNegated):
            guard let operation = operation(of: rule) else { return onFalse }
            instructions.append(
                Instruction(
                    operation: operation, isNegated: isNegated, onTrue: onTrue, onFalse: onFalse))
            return instructions.count - 1
        case .all(let trees):
            return trees.reversed().reduce(onTrue) { emit($1, onTrue: $0, onFalse: onFalse) }
        case .any(let trees):
            return trees.reversed().reduce(onFalse) { emit($1, onTrue: onTrue, onFalse: $0) }
        }
    }

    /// Translates a rule; nil for one that is never true.
    private mutating func operation(of rule: Rule) -> Operation? {
        switch rule.test {
        case .percent(let seed, let above, let upTo):
            return .percent(seed: number(ofSeed: seed), above: above, upTo: upTo)
        case .isOneOf(let subject, let targets, let isTrimmed):
            let slot = slot(subject, isTrimmed: isTrimmed)
            let numbers = Set(targets.map { slots[slot].number(of: $0) }).sorted()
            if let literal = numbers.first, numbers.count == 1 {
                return .equals(slot: slot, literal: literal)
            }
            let start = literals.count
            literals += numbers
            return .isOneOf(slot: slot, start: start, end: literals.count)
        case .contains(let subject, let targets):
            parts.append(targets.map { TextSearch($0) })
            return .contains(slot: slot(subject), list: parts.count - 1)
        case .matches(let subject, let expression):
            let slot = slot(subject)
            slots[slot].isSearched = true
            return .matches(slot: slot, search: number(of: expression, in: slot))
        case .number(let subject, let comparison, let target):
            let slot = slot(subject)
            slots[slot].isNumber = true
            return .number(slot: slot, comparison, target)
        case .version(let subject, let comparison, let target):
            let slot = slot(subject)
            slots[slot].isVersion = true
            versions.append(target)
            return .version(slot: slot, comparison, target: versions.count - 1)
        case .date(let comparison, let date):
            return .date(comparison, date.timeIntervalSinceReferenceDate)
        case .unevaluated, .never: return nil
        }
    }

    private mutating func slot(_ subject: Subject, isTrimmed: Bool = false) -> Int {
        let key = Slot.Key(subject: subject, isTrimmed: isTrimmed)
        if let slot = slotNumbers[key] { return slot }
        slotNumbers[key] = slots.count
        slots.append(Slot(key))
        return slots.count - 1
    }

    /// Index into ``expressions`` of an expression for a value.
    private mutating func number(of expression: RegularExpression, in slot: Int) -> Int {
        let search = Search(slot: slot, expression: expression)
        if let number = searchNumbers[search] { return number }
        searchNumbers[search] = expressions.count
        expressions.append(expression)
        return expressions.count - 1
    }

    private mutating func number(ofSeed seed: String) -> Int {
        if let number = seedNumbers[ExactText(seed)] { return number }
        seedNumbers[ExactText(seed)] = seeds.count
        seeds.append(Percentile.prefix(seed: seed))
        return seeds.count - 1
    }
}

extension ConditionProgram {
    /// The tree of a condition without `!`: only rules are negated.
    indirect enum Branch {
        case constant(Bool)
        case rule(Rule, isNegated: Bool)
        /// Operands that must all be true.
        case all([Branch])
        /// Operands of which at least one must be true.
        case any([Branch])

        /// Pushes `!` down to the rules and sorts operands by cost, since a result does not depend
        /// on their order.
        init(_ node: ConditionNode, isNegated: Bool) {
            switch node {
            case .constant(let value): self = .constant(value != isNegated)
            case .rule(let rule): self = .rule(rule, isNegated: rule.isNegated != isNegated)
            case .not(let inner): self = Branch(inner, isNegated: !isNegated)
            case .all(let nodes):
                let branches = Self.sorted(nodes, isNegated)
                self = isNegated ? .any(branches) : .all(branches)
            case .any(let nodes):
                let branches = Self.sorted(nodes, isNegated)
                self = isNegated ? .all(branches) : .any(branches)
            }
        }

        /// The operands, cheap ones first.
        private static func sorted(_ nodes: [ConditionNode], _ isNegated: Bool) -> [Branch] {
            nodes.map { Branch($0, isNegated: isNegated) }
                .map { (branch: $0, cost: $0.cost) }
                .sorted { $0.cost < $1.cost }
                .map(\.branch)
        }

        /// Rough measure of the time that it takes.
        private var cost: Int {
            switch self {
            case .constant: 0
            case .rule(let rule, _): rule.cost
            case .all(let branches), .any(let branches):
                branches.reduce(0) { $0 + $1.cost }
            }
        }
    }
}
