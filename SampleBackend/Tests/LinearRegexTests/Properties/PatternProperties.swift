@testable import LinearRegex

/// Properties that hold for all regular expressions and texts.
enum PatternProperties {
    /// Maximum length of a text in scalars: the reference matcher tries every position.
    private static let maximumTextLength = 24

    /// Tests a pattern and, after a zero byte, a text.
    ///
    /// - Parameter input: Bytes; invalid UTF-8 is repaired.
    /// - Returns: The violated property, or nil.
    static func violation(_ input: [UInt8]) -> String? {
        let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        let pattern = String(decoding: parts[0], as: UTF8.self)
        let text = String(
            String(decoding: parts.count > 1 ? parts[1] : [], as: UTF8.self).unicodeScalars
                .prefix(maximumTextLength))
        var parser = PatternParser(pattern)
        do throws(RegularExpressionError) {
            let tree = try parser.parse()
            let program = try PatternProgram(tree)
            let expression = try RegularExpression(pattern)
            let searched = SearchedText(text)
            let expected = NaiveMatcher(text).finds(tree)
            if expression.matches(searched) != expected { return "it finds what it should" }
            let automaton = Automaton(program)
            var work = 0
            if automaton.matches(searched, work: &work) != expected {
                return "the simulation finds what it should"
            }
            if work > (text.unicodeScalars.count + 1) * automaton.stepsPerScalar {
                return "a character takes no more steps than said"
            }
            let either = try? RegularExpression([pattern, "^x$"])
            if either.map({ $0.matches(text) != (expected || text == "x") }) == true {
                return "one of two is found"
            }
        } catch {
            if !(0...pattern.unicodeScalars.count).contains(error.offset) {
                return "an error is within the pattern"
            }
            if error.reason.isEmpty || error.reason.unicodeScalars.count > 300 {
                return "an error is one short sentence"
            }
        }
        return nil
    }
}
