/// Parses regular expressions in RE2's syntax.
///
/// Groups do not capture, and greediness is irrelevant, since only the existence of a match counts.
struct PatternParser {
    /// Maximum nesting of groups.
    static let maximumNesting = 100

    /// Maximum number of repetitions in `{m,n}`, multiplied by those of the enclosing groups.
    static let maximumRepetition = 1000

    /// Maximum number of character ranges in the classes of an expression.
    static let maximumRangeCount = 50_000

    /// The flags that `(?ims)` sets.
    struct Flags {
        var ignoresCase = false
        /// True when `^` and `$` match at line breaks.
        var isMultiLine = false
        /// True when `.` matches a line feed.
        var dotMatchesNewline = false
    }

    let scalars: [Unicode.Scalar]

    var position = 0

    var flags = Flags()

    /// Number of character ranges in classes so far.
    private(set) var rangeCount = 0

    private var depth = 0

    /// True when the text is too long; it is not stored then.
    private let isTooLong: Bool

    /// True when nested repetitions are limited as in RE2.
    private let limitsRepetitions: Bool

    init(_ pattern: String, limitsRepetitions: Bool = true) {
        let limit = RegularExpression.maximumLength
        isTooLong = pattern.unicodeScalars.prefix(limit + 1).count > limit
        scalars = isTooLong ? [] : Array(pattern.unicodeScalars)
        self.limitsRepetitions = limitsRepetitions
    }

    mutating func parse() throws(RegularExpressionError) -> Pattern {
        guard !isTooLong else {
            throw excess(
                "it is longer than \(RegularExpression.maximumLength) characters; split it", at: 0)
        }
        let pattern = try parseChoice()
        guard next == nil else { throw error("this ')' has no '('; write \\) for the character") }
        return pattern
    }

    /// The next scalar, or nil at the end.
    var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    /// Skips a scalar if it comes next; returns false otherwise.
    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    /// An error at `place`, or at the current position when that is nil.
    func error(_ reason: String, at place: Int? = nil) -> RegularExpressionError {
        RegularExpressionError(offset: place ?? position, reason: reason)
    }

    /// An error about the time or memory that an expression would take.
    private func excess(_ reason: String, at place: Int) -> RegularExpressionError {
        RegularExpressionError(offset: place, reason: reason, kind: .excess)
    }

    /// Counts the ranges of the class at `start`, and refuses too many ranges.
    mutating func countRanges(_ count: Int, at start: Int) throws(RegularExpressionError) {
        rangeCount += count
        guard rangeCount <= Self.maximumRangeCount else {
            throw excess(
                "its classes have more than \(Self.maximumRangeCount) ranges of characters; use "
                    + "fewer", at: start)
        }
    }

    /// Parses alternatives up to a `)` or the end.
    private mutating func parseChoice() throws(RegularExpressionError) -> Pattern {
        var branches = [try parseSequence()]
        while take("|") { branches.append(try parseSequence()) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    /// Parses one alternative.
    private mutating func parseSequence() throws(RegularExpressionError) -> Pattern {
        var parts: [Pattern] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            if isNext("\\Q") {
                position += 2
                while next != nil, !isNext("\\E") { parts.append(takeScalar()) }
                if next != nil { position += 2 }
                if let last = parts.popLast() { parts.append(try parseRepetition(of: last)) }
                continue
            }
            if let operand = try parseOperand() { parts.append(try parseRepetition(of: operand)) }
        }
        return parts.count == 1 ? parts[0] : parts.isEmpty ? .empty : .sequence(parts)
    }

    func isNext(_ text: String) -> Bool {
        text.unicodeScalars.elementsEqual(scalars[position...].prefix(text.unicodeScalars.count))
    }

    private mutating func takeScalar() -> Pattern {
        guard let scalar = next else { return .empty }
        position += 1
        return .scalar(set(ScalarSet(scalar)))
    }

    /// Applies the flags to a set: adds the other case of its scalars when case is ignored.
    func set(_ set: ScalarSet) -> ScalarSet {
        flags.ignoresCase ? set.caseInsensitive : set
    }

    /// Parses an operand that can be repeated; nil for flags, which are not operands.
    private mutating func parseOperand() throws(RegularExpressionError) -> Pattern? {
        let start = position
        guard let scalar = next else { return .empty }
        switch scalar {
        case "*", "+", "?":
            throw error("nothing to repeat before '\(scalar)'; write \\\(scalar) for the character")
        case "{" where repetitionCounts() != nil:
            throw error("nothing to repeat before '{'; write \\{ for the character", at: start)
        case "(": return try parseGroup()
        case "[": return .scalar(try parseClass())
        case "\\": return try parseEscape()
        case ".":
            position += 1
            return .scalar(flags.dotMatchesNewline ? .all : ScalarSet.newline.inverted)
        case "^":
            position += 1
            return .anchor(flags.isMultiLine ? .lineStart : .textStart)
        case "$":
            position += 1
            return .anchor(flags.isMultiLine ? .lineEnd : .textEnd)
        default: return takeScalar()
        }
    }

    /// Parses `*`, `+`, `?` or `{m,n}` after an operand.
    private mutating func parseRepetition(
        of operand: Pattern
    ) throws(RegularExpressionError) -> Pattern {
        let start = position
        let (minimum, maximum): (Int, Int?)
        if take("*") {
            (minimum, maximum) = (0, nil)
        } else if take("+") {
            (minimum, maximum) = (1, nil)
        } else if take("?") {
            (minimum, maximum) = (0, 1)
        } else if next == "{", let counts = repetitionCounts() {
            position = counts.end
            (minimum, maximum) = (counts.minimum, counts.maximum)
        } else {
            return operand
        }
        guard max(minimum, maximum ?? 0) <= Self.maximumRepetition else {
            throw error(
                "a repetition counts to \(Self.maximumRepetition) at most", at: start)
        }
        guard minimum <= maximum ?? minimum else {
            throw error("the first number of a repetition is above the second", at: start)
        }
        let total = operand.repetitions * max(1, maximum ?? minimum)
        guard !limitsRepetitions || total <= Self.maximumRepetition else {
            throw excess(
                "with the repetitions in it, it counts to \(total), and RE2 allows "
                    + "\(Self.maximumRepetition); use smaller numbers in { }", at: start)
        }
        _ = take("?")
        if next == "*" || next == "+" || next == "?" || (next == "{" && repetitionCounts() != nil) {
            throw error("a repetition of a repetition needs a group: (?:…)")
        }
        return .repetition(operand, minimum: minimum, maximum: maximum)
    }

    /// Reads `{m}`, `{m,}` or `{m,n}` at the current position without skipping it; nil when it is
    /// plain text.
    private func repetitionCounts() -> (minimum: Int, maximum: Int?, end: Int)? {
        var place = position + 1
        func number() -> (Int?, Int) {
            var value: Int?
            var end = place
            while end < scalars.count, let digit = digit(scalars[end]) {
                value = min((value ?? 0) * 10 + digit, Self.maximumRepetition + 1)
                end += 1
            }
            return (value, end)
        }
        let (minimum, end) = number()
        guard let minimum else { return nil }
        place = end
        var maximum: Int? = minimum
        if place < scalars.count, scalars[place] == "," {
            place += 1
            (maximum, place) = number()
        }
        guard place < scalars.count, scalars[place] == "}" else { return nil }
        return (minimum, maximum, place + 1)
    }

    private func digit(_ scalar: Unicode.Scalar) -> Int? {
        ("0"..."9").contains(scalar) ? Int(scalar.value - 0x30) : nil
    }

    /// Parses a group; nil when it only sets flags.
    private mutating func parseGroup() throws(RegularExpressionError) -> Pattern? {
        let start = position
        position += 1
        let outer = flags
        if take("?") {
            if try parseGroupHead(from: start) == .flags { return nil }
        }
        depth += 1
        guard depth <= Self.maximumNesting else {
            throw error("groups are nested deeper than \(Self.maximumNesting)", at: start)
        }
        let pattern = try parseChoice()
        guard take(")") else { throw error("this '(' has no ')'", at: start) }
        depth -= 1
        flags = outer
        return pattern
    }
}
