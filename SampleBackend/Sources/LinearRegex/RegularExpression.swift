/// One or several regular expressions in RE2's syntax.
///
/// A text matches if one of them matches a part of it. Matching takes time linear in the text.
///
/// A class, so that reading it from an array retains one object rather than one per array inside.
package final class RegularExpression: Sendable {
    /// Maximum length of an expression, in Unicode scalars.
    package static let maximumLength = 16_384

    let patterns: [String]

    private enum Matcher: Sendable {
        /// The automaton as a table, if it is small.
        case table(TransitionTable)
        /// The simulation, for expressions with many states.
        case automaton(Automaton)
    }

    /// The fixed cost of a simulation per scalar, in steps.
    private static let stepsBetweenScalars = 12

    /// Each matches some of the expressions; together they match all of them.
    private let matchers: [Matcher]

    /// Maximum number of steps per scalar of a searched text; a step takes a few nanoseconds.
    package let stepsPerScalar: Int

    /// The approximate number of integers in memory, plus the work of creating them.
    package let size: Int

    /// Parses one regular expression.
    package convenience init(_ pattern: String) throws(RegularExpressionError) {
        try self.init([pattern])
    }

    /// Parses regular expressions.
    ///
    /// - Parameters:
    ///   - patterns: The expressions.
    ///   - limitsRepetitions: True to limit nested repetitions as RE2 does. Without the limit,
    ///     expressions that were accepted once remain accepted.
    ///   - maximumSize: The approximate maximum of ``size``, beyond which parsing stops early.
    /// - Throws: ``RegularExpressionError`` with the expression, the position and the fix.
    package init(
        _ patterns: [String], limitsRepetitions: Bool = true, maximumSize: Int = .max
    ) throws(RegularExpressionError) {
        self.patterns = patterns
        var size = 0
        var trees: [Pattern] = []
        var programs: [PatternProgram] = []
        for (index, pattern) in patterns.enumerated() {
            do throws(RegularExpressionError) {
                var parser = PatternParser(
                    pattern, limitsRepetitions: limitsRepetitions)
                let tree = try parser.parse()
                trees.append(tree)
                let program = try PatternProgram(tree)
                programs.append(program)
                size += parser.scalars.count + parser.rangeCount + program.instructions.count
                guard size <= maximumSize else { throw .overMaximumSize(maximumSize) }
            } catch {
                var error = error
                error.index = index
                throw error
            }
        }
        var work = 0
        // Searching one table for several expressions takes no longer than for one.
        if trees.count > 1, let merged = try? PatternProgram(.choice(trees)),
            case .table(let table) = Self.matcher(for: merged, work: &work)
        {
            matchers = [.table(table)]
        } else {
            matchers = programs.map { Self.matcher(for: $0, work: &work) }
        }
        stepsPerScalar = matchers.reduce(0) { sum, matcher in
            switch matcher {
            case .table(let table): sum + table.stepsPerScalar
            case .automaton(let automaton):
                sum + automaton.stepsPerScalar + Self.stepsBetweenScalars
            }
        }
        self.size = matchers.reduce(size + work / 32) { sum, matcher in
            switch matcher {
            case .table(let table): sum + table.size
            case .automaton(let automaton): sum + 8 * automaton.stepsPerScalar
            }
        }
    }

    private static func matcher(for program: PatternProgram, work: inout Int) -> Matcher {
        let automaton = Automaton(program)
        let table = TransitionTable(automaton, sets: program.sets, work: &work)
        return table.map { .table($0) } ?? .automaton(automaton)
    }

    /// Returns true if a part of the text matches one of the expressions; `^` and `$` anchor to the
    /// whole text.
    package func matches(_ text: SearchedText) -> Bool {
        for index in matchers.indices {
            switch matchers[index] {
            case .table(let table): if table.matches(text) { return true }
            case .automaton(let automaton):
                var work = 0
                if automaton.matches(text, work: &work) { return true }
            }
        }
        return false
    }

    package func matches(_ text: String) -> Bool { matches(SearchedText(text)) }
}

extension RegularExpression: Hashable {
    /// Compares bytes: two spellings of an accented letter are different expressions.
    package static func == (left: RegularExpression, right: RegularExpression) -> Bool {
        left.patterns.elementsEqual(right.patterns) { $0.utf8.elementsEqual($1.utf8) }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(patterns)
    }
}

/// An error in a regular expression, with its position.
package struct RegularExpressionError: Error, Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// The text is not a regular expression.
        case syntax
        /// The expression would take too much time or memory.
        case excess
        /// The expression would exceed the size that the caller allows.
        case overMaximumSize
    }

    /// The index of the faulty Unicode scalar, from 0.
    package let offset: Int

    /// The fault and the fix, without a full stop.
    package let reason: String

    package var kind: Kind

    /// The index of the faulty expression, from 0.
    package var index = 0

    package init(offset: Int, reason: String, kind: Kind = .syntax) {
        self.offset = offset
        self.reason = reason
        self.kind = kind
    }

    static func overMaximumSize(_ size: Int) -> RegularExpressionError {
        RegularExpressionError(
            offset: 0, reason: "its size is more than \(size); use a simpler one",
            kind: .overMaximumSize)
    }
}

/// A text to search, decoded once for all regular expressions.
package struct SearchedText: Sendable {
    package let text: String

    /// The scalars; nil if all are ASCII, whose bytes need no decoding.
    let scalars: [UInt32]?

    package init(_ text: String) {
        self.text = text
        var bytes = text
        // Reads all bytes: a loop that can end early is not vectorized.
        let isASCII = bytes.withUTF8 { unsafe $0.reduce(0, |) } < 0x80
        scalars = isASCII ? nil : text.unicodeScalars.map(\.value)
    }
}
