/// Regular expressions in RE2's syntax of which one is to be found, in time linear in the text.
struct RegularExpression: Sendable {
    /// The texts of the expressions.
    let patterns: [String]

    /// A search for one of the expressions, or for some of them at once.
    private enum Matcher: Sendable {
        /// The automaton written out, when it is small.
        case table(TransitionTable)
        /// The simulation, for expressions with many states.
        case automaton(Automaton)
    }

    /// The time that a simulation takes from one scalar to the next, in its steps.
    private static let stepsBetweenScalars = 12

    /// What is searched for.
    private let matchers: [Matcher]

    /// The steps that a scalar of a text takes at most.
    let stepsPerScalar: Int

    /// The memory, and the work to make it, about: the budget of a template bounds the sum.
    let size: Int

    /// Parses a regular expression.
    ///
    /// - Parameter pattern: Its text.
    /// - Throws: ``RegularExpressionError`` with the place and what to do.
    init(_ pattern: String) throws(RegularExpressionError) {
        try self.init([pattern])
    }

    /// Parses regular expressions.
    ///
    /// - Parameters:
    ///   - patterns: Their texts.
    ///   - isPublished: Whether they were published already: then repetitions may be larger than
    ///     RE2 allows.
    ///   - maximumSize: The most that ``size`` may become, about.
    /// - Throws: ``RegularExpressionError`` with the expression, the place and what to do.
    init(
        _ patterns: [String], isPublished: Bool = false, maximumSize: Int = .max
    ) throws(RegularExpressionError) {
        self.patterns = patterns
        var size = 0
        var trees: [Pattern] = []
        var programs: [PatternProgram] = []
        for (index, pattern) in patterns.enumerated() {
            do throws(RegularExpressionError) {
                var parser = PatternParser(pattern, isPublished: isPublished)
                let tree = try parser.parse()
                trees.append(tree)
                let program = try PatternProgram(tree)
                programs.append(program)
                size += parser.scalars.count + parser.rangeCount + program.instructions.count
                guard size <= maximumSize else { throw ConditionBudget.memoryError }
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

    /// The fastest search for a program.
    private static func matcher(for program: PatternProgram, work: inout Int) -> Matcher {
        let automaton = Automaton(program)
        let table = TransitionTable(automaton, sets: program.sets, work: &work)
        return table.map { .table($0) } ?? .automaton(automaton)
    }

    /// Searches a text.
    ///
    /// - Parameter text: The text.
    /// - Returns: Whether a part of it matches one of the expressions; `^` and `$` ask for the whole.
    func matches(_ text: SearchedText) -> Bool {
        matchers.contains { matcher in
            switch matcher {
            case .table(let table): return table.matches(text)
            case .automaton(let automaton):
                var work = 0
                return automaton.matches(text, work: &work)
            }
        }
    }

    /// Searches a text.
    func matches(_ text: String) -> Bool { matches(SearchedText(text)) }
}

extension RegularExpression: Hashable {
    /// Whether the texts are the same.
    static func == (left: RegularExpression, right: RegularExpression) -> Bool {
        left.patterns.elementsEqual(right.patterns) { ExactText($0) == ExactText($1) }
    }

    /// Hashes the texts.
    func hash(into hasher: inout Hasher) {
        hasher.combine(patterns.count)
        for pattern in patterns { hasher.combine(ExactText(pattern)) }
    }
}
