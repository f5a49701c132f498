extension TargetingCondition {
    /// True when no client can satisfy the condition, whatever it sends and at any time.
    package var isNeverTrue: Bool { !root.canBeTrue }

    /// True when each client satisfies the condition, whatever it sends and at any time.
    package var isAlwaysTrue: Bool { root.isAlwaysTrue }
}

extension ConditionNode {
    /// False only when it is certain; a rule on any signal can be true.
    fileprivate var canBeTrue: Bool {
        switch self {
        case .constant(let value): value
        case .rule(let rule): rule.canBeTrue
        case .not(let node): !node.isAlwaysTrue
        case .all(let nodes): nodes.allSatisfy(\.canBeTrue)
        case .any(let nodes): nodes.contains(where: \.canBeTrue)
        }
    }

    fileprivate var isAlwaysTrue: Bool {
        switch self {
        case .constant(let value): value
        case .rule: false
        case .not(.constant(let value)): !value
        case .not: false
        case .all(let nodes): nodes.allSatisfy(\.isAlwaysTrue)
        case .any(let nodes): nodes.contains(where: \.isAlwaysTrue)
        }
    }
}

extension Rule {
    fileprivate var canBeTrue: Bool {
        switch test {
        // An unknown result makes neither the rule nor its negation true.
        case .unevaluated, .never: false
        case .percent(_, let above, let upTo): isNegated || above < upTo
        default: true
        }
    }
}
