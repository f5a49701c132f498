/// The tree of a condition.
///
/// Its logic has three values (Kleene's): a rule on a missing value is unknown, `!` of unknown is
/// unknown, `false &&` unknown is false, `true ||` unknown is true. A condition that comes out
/// unknown is not true.
indirect enum ConditionNode: Sendable, Hashable {
    /// `true` or `false`.
    case constant(Bool)
    /// A rule.
    case rule(Rule)
    /// The opposite.
    case not(ConditionNode)
    /// Operands of `&&`; true when there are none.
    case all([ConditionNode])
    /// Operands of `||`; false when there are none.
    case any([ConditionNode])

    /// Its text, for an explanation.
    var text: String {
        switch self {
        case .constant(let value): value ? "true" : "false"
        case .rule(let rule): rule.text
        case .not(.constant(let value)): value ? "!true" : "!false"
        case .not(let node): "!(\(node.text))"
        case .all(let nodes): nodes.map(\.operandText).joined(separator: " && ")
        case .any(let nodes): nodes.map(\.text).joined(separator: " || ")
        }
    }

    /// Its text as an operand of `&&`.
    private var operandText: String {
        if case .any = self { "(\(text))" } else { text }
    }

    /// Visits the rules in it, in order.
    func forEachRule(_ visit: (Rule) -> Void) {
        switch self {
        case .constant: break
        case .rule(let rule): visit(rule)
        case .not(let node): node.forEachRule(visit)
        case .all(let nodes), .any(let nodes):
            for node in nodes { node.forEachRule(visit) }
        }
    }
}
