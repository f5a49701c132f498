import Foundation
import JSONTree
import LinearRegex

/// Compiles conditions to a ``ConditionProgram``.
struct ConditionCompiler {
    private typealias Slot = ConditionProgram.Slot

    private(set) var instructions: [ConditionProgram.Instruction] = []
    private(set) var entries: [Int] = []
    private(set) var slots: [ConditionProgram.Slot] = []
    private(set) var registerCount = 0
    private(set) var textCount = 0
    private(set) var seeds: [UInt8] = []
    let literals: [ExactText]
    private(set) var lists: [Double] = []
    private(set) var languages: [LanguageRange] = []
    private(set) var parts = TextSearches()
    private(set) var expressions: [RegularExpression] = []
    private(set) var versionSegments: [Double] = []

    /// Indexes into ``slots``.
    private var slotNumbers: [Slot.Key: Int] = [:]

    /// The registers of percentiles, and their ranges of ``seeds``.
    private var percentiles: [ExactText: (register: Int, start: Int, end: Int)] = [:]

    /// Indexes into ``expressions``, and the registers of the results.
    private var searchNumbers: [Search: (register: Int, expression: Int)] = [:]

    /// A search for regular expressions in a value.
    private struct Search: Hashable {
        let slot: Int
        let expression: RegularExpression
    }

    init(_ conditions: [TargetingCondition]) {
        var literals: Set<ExactText> = []
        for condition in conditions {
            condition.root.forEachRule { rule in
                guard case .isOneOf(_, let targets, _) = rule.test else { return }
                literals.formUnion(targets.map { ExactText($0) })
            }
        }
        self.literals = literals.sorted { $0.precedes($1) }
        for condition in conditions {
            let tree = Branch(condition.root, isNegated: false)
            entries.append(
                emit(tree, onTrue: ConditionProgram.accept, onFalse: ConditionProgram.reject))
        }
    }

    /// Appends a tree backwards, last instruction first, and returns its first instruction.
    ///
    /// The parsers' limits bound the recursion.
    ///
    /// `onTrue` and `onFalse` are the instructions or jump targets at which to continue.
    private mutating func emit(_ tree: Branch, onTrue: Int, onFalse: Int) -> Int {
        switch tree {
        case .constant(let value): return value ? onTrue : onFalse
        case .rule(let rule, let isNegated):
            guard let operation = operation(of: rule) else { return onFalse }
            instructions.append(
                ConditionProgram.Instruction(
                    operation: operation, isNegated: isNegated, onTrue: onTrue, onFalse: onFalse))
            return instructions.count - 1
        case .all(let trees):
            return trees.reversed().reduce(onTrue) { emit($1, onTrue: $0, onFalse: onFalse) }
        case .any(let trees):
            return trees.reversed().reduce(onFalse) { emit($1, onTrue: onTrue, onFalse: $0) }
        }
    }

    /// Translates a rule; nil if it is never true.
    private mutating func operation(of rule: Rule) -> ConditionProgram.Operation? {
        switch rule.test {
        case .percent(let seed, let above, let upTo):
            let (register, start, end) = percentile(ofSeed: seed)
            return .percent(
                register: register, start: start, end: end, above: Double(above),
                upTo: Double(upTo))
        case .isOneOf(let subject, let targets, let isTrimmed):
            let register = register(\.literal, of: slot(subject, isTrimmed: isTrimmed))
            let numbers = Set(targets.map { literals.number(of: $0) }).sorted()
            if let literal = numbers.first, numbers.count == 1 {
                return .equals(register: register, literal: literal)
            }
            let start = lists.count
            lists += numbers
            return .isOneOf(register: register, start: start, end: lists.count)
        case .isInLanguages(let subject, let ranges, _):
            let start = languages.count
            languages += ranges
            return .isInLanguages(text: text(of: slot(subject)), start: start, end: languages.count)
        case .contains(let subject, let targets):
            let start = parts.count
            for target in targets { parts.append(target) }
            return .contains(text: text(of: slot(subject)), start: start, end: parts.count)
        case .matches(let subject, let expression):
            let slot = slot(subject)
            let (register, number) = search(for: expression, in: slot)
            return .matches(register: register, text: text(of: slot), expression: number)
        case .number(let subject, let comparison, let target):
            return .number(register: register(\.number, of: slot(subject)), comparison, target)
        case .version(let subject, let comparison, let target):
            let register = register(
                \.version, of: slot(subject), count: VersionNumber.maximumSegments)
            let start = versionSegments.count
            versionSegments += (0..<VersionNumber.maximumSegments).map { target[$0] }
            return .version(register: register, comparison, target: start)
        case .date(let comparison, let date, _):
            return .date(comparison, date.timeIntervalSinceReferenceDate)
        case .unevaluated, .never: return nil
        }
    }

    /// The index into ``slots`` for a value.
    private mutating func slot(_ subject: Subject, isTrimmed: Bool = false) -> Int {
        let key = Slot.Key(subject: subject, isTrimmed: isTrimmed)
        if let slot = slotNumbers[key] { return slot }
        slotNumbers[key] = slots.count
        slots.append(Slot(key: key))
        return slots.count - 1
    }

    /// Adds registers and returns the first.
    private mutating func addRegisters(_ count: Int = 1) -> Int {
        defer { registerCount += count }
        return registerCount
    }

    /// The register of a slot, or the first of `count` registers.
    private mutating func register(
        _ path: WritableKeyPath<Slot, Int?>, of slot: Int, count: Int = 1
    ) -> Int {
        if let register = slots[slot][keyPath: path] { return register }
        let register = addRegisters(count)
        slots[slot][keyPath: path] = register
        return register
    }

    /// The index of a slot's text among the searched texts.
    private mutating func text(of slot: Int) -> Int {
        if let text = slots[slot].text { return text }
        slots[slot].text = textCount
        textCount += 1
        return textCount - 1
    }

    private mutating func search(
        for expression: RegularExpression, in slot: Int
    ) -> (register: Int, expression: Int) {
        let search = Search(slot: slot, expression: expression)
        if let known = searchNumbers[search] { return known }
        let new = (register: addRegisters(), expression: expressions.count)
        searchNumbers[search] = new
        expressions.append(expression)
        return new
    }

    private mutating func percentile(
        ofSeed seed: String
    ) -> (register: Int, start: Int, end: Int) {
        if let known = percentiles[ExactText(seed)] { return known }
        let prefix = Percentile.prefix(seed: seed)
        let new = (
            register: addRegisters(), start: seeds.count, end: seeds.count + prefix.count
        )
        percentiles[ExactText(seed)] = new
        seeds += prefix
        return new
    }
}

extension ConditionCompiler {
    /// The tree of a condition in which `!` applies to rules only.
    indirect enum Branch {
        case constant(Bool)
        case rule(Rule, isNegated: Bool)
        /// Operands that must all be true.
        case all([Branch])
        /// Operands of which at least one must be true.
        case any([Branch])

        /// Pushes `!` down to the rules, and sorts the operands by cost; their order does not
        /// affect the result.
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

        /// The operands, cheapest first.
        private static func sorted(_ nodes: [ConditionNode], _ isNegated: Bool) -> [Branch] {
            nodes.map { Branch($0, isNegated: isNegated) }
                .map { (branch: $0, cost: $0.cost) }
                .sorted { $0.cost < $1.cost }
                .map(\.branch)
        }

        /// Approximate evaluation time.
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
