extension ConditionProgram {
    /// The tree of a condition without `!`: only rules may be negated.
    indirect enum Branch {
        /// A result that is known.
        case constant(Bool)
        /// A rule, or its opposite.
        case rule(Rule, isNegated: Bool)
        /// Operands that must all be true.
        case all([Branch])
        /// Operands of which one must be true.
        case any([Branch])

        /// Pushes `!` down to the rules, and puts cheap operands first: a result does not depend
        /// on their order.
        ///
        /// - Parameters:
        ///   - node: The condition.
        ///   - isNegated: Whether its opposite is asked for.
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

        /// A rough measure of the time it takes.
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
