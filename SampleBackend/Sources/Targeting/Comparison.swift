/// The relation that a rule asks for between the actual value and its own.
enum Comparison: String, Sendable, Hashable, CaseIterable {
    /// Below the value of the rule.
    case less = "<"
    /// Not above it.
    case lessOrEqual = "<="
    /// The same.
    case equal = "=="
    /// Another.
    case notEqual = "!="
    /// Not below it.
    case greaterOrEqual = ">="
    /// Above it.
    case greater = ">"

    /// Whether an order satisfies it.
    ///
    /// - Parameter order: Negative when the actual value is the smaller, 0 when both are equal.
    /// - Returns: Whether the rule is true.
    func accepts(_ order: Int) -> Bool {
        switch self {
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .equal: order == 0
        case .notEqual: order != 0
        case .greaterOrEqual: order >= 0
        case .greater: order > 0
        }
    }

    /// Whether two numbers satisfy it.
    ///
    /// - Parameters:
    ///   - actual: The number that a user has.
    ///   - target: The number of the rule.
    /// - Returns: nil when one of them is not a number.
    func holds(_ actual: Double, _ target: Double) -> Bool? {
        if actual < target { return accepts(-1) }
        if actual > target { return accepts(1) }
        return actual == target ? accepts(0) : nil
    }
}
