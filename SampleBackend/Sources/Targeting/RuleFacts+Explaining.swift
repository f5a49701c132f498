extension RuleFacts {
    /// The part of a condition that makes it what it is.
    struct Finding {
        /// The text of the part.
        let text: String
        /// What was seen.
        let reason: String
    }

    /// Evaluates a condition.
    ///
    /// - Parameter node: Its tree; the parsers' limits bound the recursion.
    /// - Returns: nil when it is unknown.
    func value(of node: ConditionNode) -> Bool? {
        switch node {
        case .constant(let value): return value
        case .rule(let rule): return value(of: rule)
        case .not(let node): return value(of: node).map { !$0 }
        case .all(let nodes):
            var result: Bool? = true
            for node in nodes {
                switch value(of: node) {
                case false: return false
                case nil: result = nil
                default: break
                }
            }
            return result
        case .any(let nodes):
            var result: Bool? = false
            for node in nodes {
                switch value(of: node) {
                case true: return true
                case nil: result = nil
                default: break
                }
            }
            return result
        }
    }

    /// Finds why a condition is not true.
    ///
    /// - Parameter node: The tree of a condition that is false or unknown.
    /// - Returns: The first operand of `&&` that is not true, all operands of `||`, or the rule.
    func failure(of node: ConditionNode) -> Finding {
        switch node {
        case .constant: Finding(text: node.text, reason: "it is always false")
        case .rule(let rule): Finding(text: rule.text, reason: observation(of: rule))
        case .not(let inner): Finding(text: node.text, reason: observations(of: inner))
        case .all(let nodes):
            nodes.first { value(of: $0) != true }.map(failure(of:))
                ?? Finding(text: node.text, reason: "it is false")
        case .any(let nodes):
            Finding(
                text: node.text,
                reason: nodes.isEmpty
                    ? "it has no operands" : joined(nodes.map { failure(of: $0).reason }))
        }
    }

    /// Says what all rules of a condition saw.
    private func observations(of node: ConditionNode) -> String {
        var reasons: [String] = []
        node.forEachRule { reasons.append(observation(of: $0)) }
        return reasons.isEmpty ? "\(node.text) is constant" : joined(reasons)
    }

    /// The first of some reasons, each once.
    private func joined(_ reasons: [String]) -> String {
        var known: Set<ExactText> = []
        let distinct = reasons.filter { known.insert(ExactText($0)).inserted }
        let shown = distinct.prefix(5).joined(separator: "; ")
        return distinct.count > 5 ? shown + "; and more" : shown
    }
}
