import Foundation
import SeededRandomness
import Testing

@testable import LinearRegex

struct RegularExpressionTests {
    /// Regular expression with a text, and whether the text matches.
    struct Row: CustomTestStringConvertible {
        let pattern: String
        let text: String
        let matches: Bool
        var testDescription: String { "\(pattern) in \(text.debugDescription)" }

        init(_ pattern: String, _ text: String, _ matches: Bool) {
            self.pattern = pattern
            self.text = text
            self.matches = matches
        }
    }

    /// Expected results, taken from RE2.
    static let rows = [
        Row("", "", true), Row("", "a", true), Row("a", "xay", true), Row("a", "b", false),
        Row("^a$", "a", true), Row("^a$", "ba", false), Row("^a$", "a\n", false),
        Row("a.c", "abc", true), Row("a.c", "a\nc", false), Row("(?s)a.c", "a\nc", true),
        Row("a.c", "a日c", true), Row("[^a]", "\n", true), Row("[^日]", "日", false),
        Row("[あ-ん]+$", "xあい", true), Row("😀{2}", "😀😀", true), Row("^.$", "😀", true),
        Row("ab|cd", "xcd", true), Row("a(b|)c", "ac", true), Row("^(a|b|)$", "c", false),
        Row("a*", "", true), Row("^a+$", "aaa", true), Row("^a?$", "aa", false),
        Row("^a{2,3}$", "a", false), Row("^a{2,3}$", "aa", true), Row("^a{2,3}$", "aaaa", false),
        Row("^a{2,}$", "aaaaa", true), Row("^a{2}$", "aaa", false), Row("^a{0}$", "", true),
        Row("^a{2,3}?$", "aaa", true), Row("a{,2}", "a{,2}", true), Row("a{x", "a{x", true),
        Row("^a*?b+?c??$", "aab", true), Row("^(?:ab)+$", "abab", true),
        Row("^(?P<n>a)(?<m>b)$", "ab", true),
        Row("(?i)straße", "STRAßE", true), Row("(?i)É", "é", true), Row("(?i)k", "\u{212A}", true),
        Row("(?i)[a-c]+$", "ABC", true), Row("(?i)[^a]", "A", false), Row("(?i)\\W", "k", false),
        Row("a(?i)b", "aB", true), Row("a(?i)b", "AB", false), Row("a(?i:b)c", "aBC", false),
        Row("(?i)a(?-i)b", "AB", false), Row("(a(?i)b)c", "aBC", false),
        Row("(?m)^b$", "a\nb\nc", true), Row("^b$", "a\nb\nc", false), Row("(?m)^$", "a\n", true),
        Row("(?ms)a$.b", "a\nb", true), Row("\\Ab", "a\nb", false), Row("a\\z", "a\n", false),
        Row("\\d{3}", "a123", true), Row("\\d", "٣", false), Row("\\D", "1", false),
        Row("\\s", "\u{0B}", false), Row("\\s", "\t", true), Row("\\S", " ", false),
        Row("^\\w+$", "aZ_9", true), Row("\\w", "é", false), Row("[\\d-]+$", "1-2", true),
        Row("\\bfoo\\b", "a foo.", true), Row("\\bfoo\\b", "afoo", false), Row("\\b", "", false),
        Row("\\B", "", true), Row("o\\Bo", "foo", true), Row("^\\x41\\x{1F600}$", "A😀", true),
        Row("\\101", "A", true), Row("\\.", "a", false), Row("\\Qa.b\\E", "a.b", true),
        Row("\\Qa.b\\E", "axb", false), Row("^\\Qab\\E+$", "abb", true), Row("[]a]", "]", true),
        Row("[^]a]", "]", false), Row("[a-]", "-", true), Row("[a\\]]", "]", true),
        Row("[[:alpha:]]+$", "abc", true), Row("[[:^alpha:]]", "a", false),
        Row("[[:punct:][:digit:]]", "a1", true), Row("(((a*)*)*)*$", "b", true),
        Row("x*", "y", true), Row("(|a)*b", "aab", true), Row("}", "}", true),
        Row("^[\\w-.]+$", "a-b.c", true), Row("^[\\d-z]+$", "1-z", true),
        Row("^[\\d-z]+$", "y", false), Row("^[\\w--0]+$", ".", true),
        Row("^[[:digit:]-z]+$", "1-z", true), Row("[^\\w-.]", "-", false),
        Row("^[\\w-\\.]+@([\\w-]+\\.)+[\\w-]{2,4}$", "a.b-c@d.example.org", true),
        Row("^[\\w-\\.]+@([\\w-]+\\.)+[\\w-]{2,4}$", "a b@d.example.org", false),
        Row("(?i)i", "\u{131}", false), Row("(?i)[a-z]", "\u{131}", false),
        Row("(?i)\u{131}", "I", false), Row("(?i)\u{131}", "\u{131}", true),
        Row("(?i)i", "\u{130}", false), Row("(?i)s", "\u{17F}", true),
        Row("(?i)[a-z]", "\u{17F}", true), Row("(?i)[a-z]", "\u{212A}", true),
        Row("(?i)σ", "ς", true), Row("(?i)ß", "ẞ", true), Row("(?i)ß", "ss", false),
        Row("(?i)å", "\u{212B}", true), Row("(?i)ᾀ", "ᾈ", true), Row("(?i)ﬅ", "st", false),
        Row("^\\pL+$", "aéあ", true), Row("\\pL", "1", false), Row("^\\p{Lu}$", "É", true),
        Row("\\p{Lu}", "é", false), Row("(?i)\\p{Lu}", "é", true), Row("\\PL", "a", false),
        Row("\\P{L}", "1", true), Row("\\p{^L}", "a", false), Row("\\P{^L}", "a", true),
        Row("^[\\p{L}\\p{Nd}_-]+$", "é٣_-", true), Row("[^\\p{L}]", "é", false),
        Row("\\p{Zl}", "\u{2028}", true), Row("(?i)\\P{Lu}", "a", false),
        Row("[\\p{Zl}-z]", "-", true), Row("\\p{Any}", "\u{378}", true),
        Row("\\p{C}", "\u{378}", false), Row("\\p{Sc}", "€", true),
        Row("\\x{D800}|a", "a", true), Row("[\\x{D7FF}-\\x{E000}]", "\u{E000}", true),
    ]

    /// Simulation of an expression without its table.
    static func automaton(of pattern: String) throws -> Automaton {
        var parser = PatternParser(pattern)
        return Automaton(try PatternProgram(try parser.parse()))
    }

    @Test(arguments: rows)
    func anExpressionFindsWhatRE2Finds(row: Row) throws {
        let expression = try RegularExpression(row.pattern)
        #expect(expression.matches(row.text) == row.matches)
        // Without its table, the expression gives the same result.
        var work = 0
        let automaton = try Self.automaton(of: row.pattern)
        #expect(automaton.matches(SearchedText(row.text), work: &work) == row.matches)
    }

    @Test(arguments: [
        ("a(b", 1, "this '(' has no ')'"),
        ("ab)", 2, "this ')' has no '('; write \\) for the character"),
        ("a[b", 1, "this '[' has no ']'; write \\[ for the character"),
        ("*a", 0, "nothing to repeat before '*'; write \\* for the character"),
        ("a|+", 2, "nothing to repeat before '+'; write \\+ for the character"),
        ("{2}", 0, "nothing to repeat before '{'; write \\{ for the character"),
        ("a**", 2, "a repetition of a repetition needs a group: (?:…)"),
        ("a+{2}", 2, "a repetition of a repetition needs a group: (?:…)"),
        ("a{1001}", 1, "a repetition counts to 1000 at most"),
        ("a{3,2}", 1, "the first number of a repetition is above the second"),
        ("(a)\\1", 3, "references to groups are not supported: RE2 has none"),
        ("日(?=b)", 1, "looking ahead or behind is not supported: RE2 has no (?="),
        ("(?<!b)", 0, "looking ahead or behind is not supported: RE2 has no (?<!"),
        ("(?x)a", 2, "unknown flag 'x'; expected i, m, s or U"),
        ("(?--i)a", 3, "unknown flag '-'; expected i, m, s or U"),
        (
            "a\\p{Greek}", 1,
            "'Greek' is no general category of Unicode, such as L, Lu or Nd; of a script, list the "
                + "ranges of characters in [ ]"
        ),
        ("\\p{L", 0, "this '{' has no '}'"),
        (
            "a\\C", 1,
            "\\C, a single byte, is not supported: texts are matched by characters; write . for one"
        ),
        ("\\y", 0, "unknown escape \\y"),
        ("a\\", 1, "nothing follows this '\\'; write \\\\ for the character"),
        ("\\x4", 0, "expected \\x41 or \\x{1F600}"),
        ("\\x{110000}", 0, "expected \\x41 or \\x{1F600}"),
        ("[z-a]", 1, "a range goes from one character to a later one; write \\- for the character"),
        (
            "[a-\\d]", 1,
            "a range goes from one character to a later one; write \\- for the character"
        ),
    ])
    func aWrongPatternIsRefusedWithItsPlace(pattern: String, offset: Int, reason: String) {
        let error = #expect(throws: RegularExpressionError.self) {
            try RegularExpression(pattern)
        }
        #expect(error == RegularExpressionError(offset: offset, reason: reason))
    }

    @Test(arguments: [
        ("a((a{100}){100}){100}", 10), ("(((){1000}){1000}){1000}", 11), ("(\\w{500}){3}", 9),
        ("(?:(?:a?){100}){49}b", 15), ("((a{2}){501,})", 7),
    ])
    func anExpressionBoundsRepetitionsInRepetitionsAsRE2Does(pattern: String, offset: Int) {
        let error = #expect(throws: RegularExpressionError.self) {
            try RegularExpression(pattern)
        }
        #expect(error?.reason.hasPrefix("with the repetitions in it, it counts to ") == true)
        #expect(error?.offset == offset)
        #expect(error?.kind == .excess)
    }

    @Test(arguments: [
        ("(?:(?:a?){100}){9}b", 1_802), ("a+", 3), ("a*", 3), ("a{2,}", 4), ("a{2,4}", 7),
    ])
    func aProgramWritesRepetitionsOut(pattern: String, count: Int) throws {
        var parser = PatternParser(pattern)
        let program = try PatternProgram(try parser.parse())
        #expect(program.instructions.count == count)
        #expect(Automaton(program).stepsPerScalar == count)
    }

    @Test(arguments: ["((a{2}){500})", "((a*){1000})", "(a{1000}|b{1000})", "(a{1000}){0}"])
    func theParserAllowsTheRepetitionsOfRE2(pattern: String) throws {
        _ = try RegularExpression(pattern)
    }

    @Test(arguments: [
        String(repeating: "\\w{1000}", count: 11), String(repeating: "(a?b?c?){1000}", count: 4),
    ])
    func anExpressionBoundsTheSize(pattern: String) {
        let error = #expect(throws: RegularExpressionError.self) {
            try RegularExpression(pattern)
        }
        #expect(error?.reason.hasPrefix("it is too large") == true)
        #expect(error?.kind == .excess)
    }

    @Test(arguments: [
        (
            String(repeating: "a", count: RegularExpression.maximumLength + 1),
            "it is longer than 16384"
        ),
        ("[" + String(repeating: "\\pL", count: 200) + "]", "its classes have more than 50000"),
        (String(repeating: "\\pL", count: 200), "its classes have more than 50000"),
    ])
    func anExpressionBoundsTheWorkOfParsing(pattern: String, reason: String) {
        let error = #expect(throws: RegularExpressionError.self) {
            try RegularExpression(pattern)
        }
        #expect(error?.reason.hasPrefix(reason) == true)
        #expect(error?.kind == .excess)
    }

    @Test func anExpressionBoundsTheNesting() {
        func pattern(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth)
        }
        let limit = PatternParser.maximumNesting
        #expect(throws: Never.self) { try RegularExpression(pattern(limit)) }
        #expect(throws: RegularExpressionError.self) { try RegularExpression(pattern(limit + 1)) }
    }

    @Test(arguments: [
        "(a+)+$", "(a|a)*b", "(a|aa)+$", "(a*)*b", "(.*)*x", "a{0,200}a{200}b", "(.*a){20}b",
    ])
    func aSearchTakesLinearTime(pattern: String) throws {
        let expression = try RegularExpression(pattern)
        let automaton = try Self.automaton(of: pattern)
        func work(_ length: Int) -> Int {
            var work = 0
            let text = String(repeating: "a", count: length) + "!"
            #expect(!automaton.matches(SearchedText(text), work: &work))
            #expect(!expression.matches(text))
            #expect(work <= (length + 2) * automaton.stepsPerScalar)
            return work
        }
        // Twice the text takes about twice the steps, however many ways there are to match it.
        let (short, long) = (work(2000), work(4000))
        #expect(Double(long) < Double(short) * 2.3)
    }

    @Test(arguments: [
        (["^a", "b$"], ["ab", "ax", "xb", "ba"]),
        (["\\Qa", "\\Qb\\E"], ["a", "b", "a)|(?:b", "c"]),
        (["(?i)a", "b"], ["A", "B", "b"]),
        (["(.*a){12}", "[ab]{40}c", "x"], ["x", "aaaaaaaaaaaaa", "b"]),
    ])
    func severalExpressionsAreSearchedAtOnce(patterns: [String], texts: [String]) throws {
        let expressions = try patterns.map { try RegularExpression($0) }
        let merged = try RegularExpression(patterns)
        for text in texts {
            let expected = expressions.contains { $0.matches(text) }
            #expect(merged.matches(text) == expected, "\(text)")
        }
    }

    @Test func anExpressionFindsWhatFoundationFinds() throws {
        var generator = SeededGenerator(seed: 3)
        let atoms = ["a", "b", "c", ".", "[ab]", "[^a]", "\\d", "\\w", "1", "\\b", "^", "$", "é"]
        let letters = ["a", "b", "c", "1", " ", "é", "A", "_"]
        func pattern(_ depth: Int) -> String {
            let count = Int.random(in: 1...4, using: &generator)
            return (0..<count).map { _ -> String in
                let choice = Int.random(in: 0..<6, using: &generator)
                let atom = atoms.randomElement(using: &generator) ?? "a"
                guard depth > 0, choice < 2 else { return atom }
                let inner = pattern(depth - 1)
                let suffix = ["", "*", "+?", "?", "{1,3}", "{2}"].randomElement(using: &generator)
                return choice == 0
                    ? "(?:\(inner))\(suffix ?? "")" : "(\(inner)|\(pattern(depth - 1)))"
            }.joined()
        }
        var found = 0
        for _ in 0..<1500 {
            let text = pattern(2)
            let own = try RegularExpression(text)
            // ICU's \d and \w include all of Unicode: é is a letter there, so anchors may differ.
            let reference = try NSRegularExpression(
                pattern: text.replacing("\\w", with: "[0-9A-Za-z_]"))
            for _ in 0..<8 {
                let isPlain = text.contains("\\b")
                let subject = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
                    (isPlain ? letters.filter { $0 != "é" } : letters)
                        .randomElement(using: &generator) ?? ""
                }.joined()
                let range = NSRange(subject.startIndex..., in: subject)
                let expected = reference.firstMatch(in: subject, range: range) != nil
                if own.matches(subject) != expected {
                    Issue.record("\(text) in \(subject.debugDescription): expected \(expected)")
                }
                found += expected ? 1 : 0
            }
        }
        #expect(found > 500)
    }

    @Test func theParserSurvivesGarbage() {
        var generator = SeededGenerator(seed: 5)
        let tokens = [
            "(", ")", "[", "]", "{", "}", "?", "*", "+", "|", "^", "$", "\\", "a", "-", ":", "<",
            "P", "i", "1", ",", "日", "d", "x", "Q", "E", "=", "!", "alpha",
        ]
        var accepted = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...10, using: &generator)
            let pattern = (0..<count).map { _ in tokens.randomElement(using: &generator) ?? "" }
                .joined()
            do throws(RegularExpressionError) {
                _ = try RegularExpression(pattern).matches("a日1")
                accepted += 1
            } catch {
                if !(0...pattern.unicodeScalars.count).contains(error.offset) {
                    Issue.record("\(pattern): \(error)")
                }
            }
        }
        #expect(accepted > 500)
    }
}
