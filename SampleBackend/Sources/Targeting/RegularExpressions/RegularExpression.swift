/// A regular expression in RE2's syntax that is found in time linear in the text.
struct RegularExpression: Sendable {
    /// The text of the expression.
    let pattern: String

    /// The simulation, for expressions with many states.
    let automaton: Automaton

    /// The automaton written out, when it is small.
    let table: TransitionTable?

    /// Parses a regular expression.
    ///
    /// - Parameter pattern: Its text.
    /// - Throws: ``RegularExpressionError`` with the place and what to do.
    init(_ pattern: String) throws(RegularExpressionError) {
        var parser = PatternParser(pattern)
        try self.init(pattern, tree: try parser.parse())
    }

    /// Makes a regular expression of its tree.
    ///
    /// - Parameters:
    ///   - pattern: Its text.
    ///   - tree: Its tree.
    /// - Throws: ``RegularExpressionError`` when it is too large.
    private init(_ pattern: String, tree: Pattern) throws(RegularExpressionError) {
        self.pattern = pattern
        automaton = Automaton(try PatternProgram(tree))
        table = TransitionTable(automaton)
    }

    /// Makes one expression of several, which takes no longer than each of them.
    ///
    /// - Parameter expressions: The expressions.
    /// - Returns: An expression that matches where one of them does; the expressions themselves
    ///   when that has too many states.
    static func merged(_ expressions: [RegularExpression]) -> [RegularExpression] {
        guard expressions.count > 1 else { return expressions }
        // Their trees are merged, not their texts: flags and \Q end with their expression.
        let trees = expressions.compactMap { expression in
            var parser = PatternParser(expression.pattern)
            return try? parser.parse()
        }
        let pattern = expressions.map(\.pattern).joined(separator: "|")
        guard trees.count == expressions.count,
            let merged = try? RegularExpression(pattern, tree: .choice(trees)),
            merged.table != nil
        else {
            return expressions
        }
        return [merged]
    }

    /// Searches a text.
    ///
    /// - Parameter text: The text.
    /// - Returns: Whether a part of it matches; `^` and `$` ask for the whole.
    func matches(_ text: String) -> Bool {
        if let table { return table.matches(text) }
        var work = 0
        return automaton.matches(text, work: &work)
    }
}

extension RegularExpression: Hashable {
    /// Whether the texts are the same.
    static func == (left: RegularExpression, right: RegularExpression) -> Bool {
        ExactText(left.pattern) == ExactText(right.pattern)
    }

    /// Hashes the text.
    func hash(into hasher: inout Hasher) {
        hasher.combine(pattern)
    }
}
