/// One or several regular expressions in RE2's syntax.
///
/// A text matches when one of them is found in it, in time linear in the text.
///
/// A class, so that taking it out of a list counts one reference, not one for each array.
package final class RegularExpression: Sendable {
    /// The most Unicode scalars of an expression.
    package static let maximumLength = 16_384

    let patterns: [String]

    private enum Matcher: Sendable {
        /// The automaton as a table, when it is small.
        case table(TransitionTable)
        /// The simulation, for expressions with many states.
        case automaton(Automaton)
    }

    /// Fixed cost of a simulation per scalar, in steps.
    private static let stepsBetweenScalars = 12

    /// Each matches some of the expressions; together they match all.
    private let matchers: [Matcher]

    /// The most steps per scalar of a searched text; a step takes a few nanoseconds.
    package let stepsPerScalar: Int

    /// The approximate number of integers kept in memory, plus the work of creating them.
    package let size: Int

    /// Parses one regular expression.
    package convenience init(_ pattern: String) throws(RegularExpressionError) {
        try self.init([pattern])
    }

    /// Parses regular expressions.
    ///
    /// - Parameters:
    ///   - patterns: The expressions.
    ///   - limitsRepetitions: True to limit nested repetitions as in RE2. Without the limit,
    ///     expressions that were accepted once remain accepted.
    ///   - maximumSize: The approximate maximum of ``size``, above which parsing stops early.
    /// - Throws: ``RegularExpressionError`` with the expression, the place and what to do.
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
        // Several expressions in one table take no longer than one of them.
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

    /// Returns true when a part of the text matches one of the expressions; `^` and `$` anchor to
    /// the whole text.
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
    /// Compares bytes: two spellings of one accented letter are different expressions.
    package static func == (left: RegularExpression, right: RegularExpression) -> Bool {
        left.patterns.elementsEqual(right.patterns) { $0.utf8.elementsEqual($1.utf8) }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(patterns)
    }
}

/// An error in a regular expression, with its place.
package struct RegularExpressionError: Error, Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// The text is not a regular expression.
        case syntax
        /// It would take too much time or memory.
        case excess
        /// It would exceed the size that the caller allows.
        case overMaximumSize
    }

    /// The Unicode scalar at fault, from 0.
    package let offset: Int

    /// The fault and what to do, without a full stop.
    package let reason: String

    package var kind: Kind

    /// The index, from 0, of the expression at fault.
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

/// A text to search in, decoded once for all regular expressions.
package struct SearchedText: Sendable {
    package let text: String

    /// The scalars; nil when all are ASCII, whose bytes need no decoding.
    let scalars: [UInt32]?

    package init(_ text: String) {
        self.text = text
        var bytes = text
        // All bytes at once: a loop that can end early is not vectorized.
        let isASCII = bytes.withUTF8 { unsafe $0.reduce(0, |) } < 0x80
        scalars = isASCII ? nil : text.unicodeScalars.map(\.value)
    }
}
