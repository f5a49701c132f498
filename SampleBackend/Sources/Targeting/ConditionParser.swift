import JSONTree

/// Parses the expressions of client templates: Firebase's language, extended by `user.id`, `||`,
/// `!` and parentheses.
///
/// `!` binds more tightly than `&&`, and `&&` more tightly than `||`. White space is allowed
/// between rules, operators and values, but not before a parenthesis or bracket that belongs to a
/// name.
struct ConditionParser {
    /// The expression, UTF-8.
    let bytes: [UInt8]

    var position = 0

    /// Current nesting of parentheses and `!`.
    private var depth = 0

    private var ruleCount = 0

    /// Where the upper bounds of the `percent` rules are, in bytes.
    var upperBounds: [Range<Int>] = []

    /// The budget that all conditions of the template share.
    let budget: ConditionBudget

    /// The first limit that a published expression exceeds; an unpublished expression is refused at
    /// once.
    private(set) var excess: String?

    /// - Throws: ``ConditionSyntaxError`` when the expression is too long.
    init(_ expression: String, budget: ConditionBudget) throws(ConditionSyntaxError) {
        bytes = Array(expression.utf8)
        self.budget = budget
        let limit = TargetingCondition.maximumLength
        if expression.isLonger(than: limit) {
            try exceed(
                ConditionSyntaxError(
                    column: limit + 1,
                    reason: "the expression is longer than \(limit) characters; split the condition"
                ))
        }
    }

    /// Refuses an expression over a limit, or records the limit in `excess` if the expression is
    /// already published.
    mutating func exceed(_ error: ConditionSyntaxError) throws(ConditionSyntaxError) {
        guard budget.isPublished else { throw error }
        excess = excess ?? error.reason
    }

    /// Parses the whole expression.
    mutating func parse() throws(ConditionSyntaxError) -> ConditionNode {
        skipSpace()
        guard next != nil else {
            throw error("the expression is empty; write true for a condition that always holds")
        }
        let node = try parseAny()
        guard next == nil else { throw unexpectedEnd() }
        return node
    }

    /// Parses operands of `||` and the white space after them.
    private mutating func parseAny() throws(ConditionSyntaxError) -> ConditionNode {
        var nodes = [try parseAll()]
        while take("||") {
            skipSpace()
            nodes.append(try parseAll())
        }
        return nodes.count == 1 ? nodes[0] : .any(nodes)
    }

    /// Parses operands of `&&` and the white space after them.
    private mutating func parseAll() throws(ConditionSyntaxError) -> ConditionNode {
        var nodes = [try parseOperand()]
        while take("&&") {
            skipSpace()
            nodes.append(try parseOperand())
        }
        return nodes.count == 1 ? nodes[0] : .all(nodes)
    }

    /// Parses a rule, a negation or an expression in parentheses, and the white space after it.
    private mutating func parseOperand() throws(ConditionSyntaxError) -> ConditionNode {
        let start = position
        if take("!") {
            try enter(at: start)
            skipSpace()
            let node = ConditionNode.not(try parseOperand())
            depth -= 1
            return node
        }
        if take("(") {
            try enter(at: start)
            skipSpace()
            let node = try parseAny()
            guard take(")") else {
                throw error(
                    "expected '&&', '||' or ')', found \(found); the '(' in column "
                        + "\(column(of: start)) is open")
            }
            skipSpace()
            depth -= 1
            return node
        }
        ruleCount += 1
        guard ruleCount <= TargetingCondition.maximumRules else {
            throw error(
                "there are more than \(TargetingCondition.maximumRules) rules; use 'in' with a "
                    + "list, or split the condition")
        }
        let node = try parseRule()
        skipSpace()
        return node
    }

    /// Enters a level of nesting, and refuses too deep nesting.
    private mutating func enter(at start: Int) throws(ConditionSyntaxError) {
        depth += 1
        guard depth <= TargetingCondition.maximumNesting else {
            throw error(
                at: start,
                "'(' and '!' are nested deeper than \(TargetingCondition.maximumNesting)")
        }
    }

    /// The error for text after a complete condition.
    private func unexpectedEnd() -> ConditionSyntaxError {
        switch word(at: position).lowercased() {
        case "and": return error("expected '&&' or '||'; write '&&' for 'and'")
        case "or": return error("expected '&&' or '||'; write '||' for 'or'")
        default: break
        }
        switch next {
        case UInt8(ascii: "&"): return error("expected '&&' or '||'; write '&' twice")
        case UInt8(ascii: "|"): return error("expected '&&' or '||'; write '|' twice")
        case UInt8(ascii: ")"): return error("this ')' has no '('; remove it")
        default: return error("expected '&&', '||' or the end, found \(found)")
        }
    }
}

extension ConditionParser {
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    var found: String {
        guard position < bytes.count else { return "the end" }
        let word = word(at: position)
        if !word.isEmpty { return "'\(word.shortened)'" }
        let rest = String(decoding: bytes[position...].prefix(4), as: UTF8.self)
        return rest.unicodeScalars.first.map { "'\($0)'" } ?? "the end"
    }

    /// The word at a position: letters, digits, `_` and inner dots; empty when there is none.
    func word(at start: Int) -> String {
        var end = start
        while end < bytes.count {
            let isDot = bytes[end] == UInt8(ascii: ".")
            guard isWord(bytes[end]) || (isDot && end > start && isWord(at: end + 1)) else { break }
            end += 1
        }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    /// True when a letter, digit or `_` is at the position.
    private func isWord(at place: Int) -> Bool {
        place < bytes.count && isWord(bytes[place])
    }

    /// True for a letter, digit or `_`.
    private func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
        default: false
        }
    }

    mutating func skipSpace() {
        while let byte = next, byte == 0x20 || (0x09...0x0D).contains(byte) { position += 1 }
    }

    func isNext(_ text: StaticString) -> Bool {
        String(describing: text).utf8.elementsEqual(
            bytes[position...].prefix(text.utf8CodeUnitCount))
    }

    /// Skips a text if it comes next; returns false otherwise.
    mutating func take(_ text: StaticString) -> Bool {
        guard isNext(text) else { return false }
        position += text.utf8CodeUnitCount
        return true
    }

    /// Skips a whole word if it comes next; returns false otherwise.
    mutating func takeWord(_ text: StaticString) -> Bool {
        guard isNext(text), !isWord(at: position + text.utf8CodeUnitCount) else { return false }
        position += text.utf8CodeUnitCount
        return true
    }

    /// The column of a byte offset, in Unicode scalars from 1.
    func column(of place: Int) -> Int {
        // Each scalar has one byte that is not a continuation byte.
        bytes[..<place].count { $0 & 0xC0 != 0x80 } + 1
    }

    func error(_ reason: String) -> ConditionSyntaxError {
        error(at: position, reason)
    }

    /// An error at a byte offset; `reason` names the fault and the fix.
    func error(at place: Int, _ reason: String) -> ConditionSyntaxError {
        ConditionSyntaxError(column: column(of: place), reason: reason)
    }

    /// The expression from a byte offset to the current position.
    func text(from start: Int) -> String {
        String(decoding: bytes[start..<position], as: UTF8.self)
    }
}
