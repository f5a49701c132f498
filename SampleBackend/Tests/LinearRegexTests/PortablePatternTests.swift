import SeededRandomness
import Testing

@testable import LinearRegex

struct PortablePatternTests {
    /// Without the parts before and after it that match the rest of a text.
    @Test(arguments: [
        ("abc", "abc"), ("", "(?:)"), ("a|b c", "(?:a|b c)"), ("(a|b)*c+d?", "(?:(?:a|b))*c+d?"),
        ("a{2}b{2,}c{2,3}", "a{2,2}b{2,}c{2,3}"), (".", #"[^\x0A]"#), ("(?s).", #"[\s\S]"#),
        (#"\d\w\s"#, #"[0-9][0-9A-Z_a-z][\x09\x0A\x0C\x0D ]"#), (#"\Qa.b\E"#, #"a\.b"#),
        (#"\bé\x{1F600}"#, "\\bé(?:😀)"), ("(?i)s", "[Ss\u{17F}]"), (#"[^\d]"#, "[^0-9]"),
        (#"[\]\-^]"#, #"[\-\]\^]"#), ("(?P<name>x)", "x"), ("x*?", "x*"),
        (#"[^\x00-\x{10FFFF}]"#, #"[^\s\S]"#), ("^a$|b", "(?:^a$|b)"),
    ])
    func anExpressionIsTranslated(pattern: String, translation: String) throws {
        let whole = #"^[\s\S]*"# + translation + #"[\s\S]*"#
        #expect(PortablePattern.translating(try RegularExpression(pattern)) == [whole])
    }

    @Test(arguments: [
        ("^a", #"^a[\s\S]*"#), ("a$", #"^[\s\S]*a$"#), ("^a$", "^a$"), (#"\Aa\z"#, "^a$"),
        ("^", #"^[\s\S]*"#), ("$", #"^[\s\S]*$"#),
    ])
    func anExpressionThatBeginsOrEndsWithTheTextKeepsItsAnchors(
        pattern: String, translation: String
    ) throws {
        #expect(PortablePattern.translating(try RegularExpression(pattern)) == [translation])
    }

    @Test(arguments: ["(?m)^a", "(?m)a$", #"\B"#, #"\pL"#, #"[\x{10000}-\x{10400}]"#, #"a|\pL"#])
    func anExpressionOfOtherMeaningElsewhereIsNot(pattern: String) throws {
        #expect(PortablePattern.translating(try RegularExpression(pattern)) == nil)
    }

    @Test func anExclusionFindsAllOtherTexts() throws {
        let texts = ["", "a", "ab", "abc", "abd", "b", "a\n", "ab\n", "Ab", ".", "é", "aé"]
        for text in ["", "a", "ab", ".", "aé"] {
            let pattern = try #require(PortablePattern.anythingBut(text))
            let expression = try RegularExpression(pattern)
            let same = try RegularExpression(try #require(PortablePattern.text(text)))
            for other in texts {
                let isOther = !other.utf8.elementsEqual(text.utf8)
                #expect(expression.matches(other) == isOther, "\(pattern) in \(other)")
                #expect(same.matches(other) != isOther)
            }
        }
        #expect(PortablePattern.anythingBut("a\n") == nil)
        #expect(PortablePattern.anythingBut("😀") == nil)
        #expect(PortablePattern.anythingBut(String(repeating: "a", count: 61)) == nil)
    }

    @Test func aLanguageIncludesThoseThatExtendIt() throws {
        for tag in ["de", "zh-Hans"] {
            let found = try RegularExpression(try #require(PortablePattern.language(tag)))
            let others = try RegularExpression(
                try #require(PortablePattern.anythingBut(language: tag)))
            let isGerman = tag == "de"
            for (text, isIncluded) in [
                ("de", isGerman), ("DE-at", isGerman), ("de_AT", isGerman), ("den", false),
                ("d", false), ("", false), ("zh_hans", !isGerman), ("zh-Hans-CN", !isGerman),
                ("zh-CN", false), ("zh-Hansel", false),
            ] {
                #expect(found.matches(text) == isIncluded, "\(tag) in \(text)")
                #expect(others.matches(text) != isIncluded, "\(tag) in \(text)")
            }
        }
    }

    /// The translation means the same to this engine, also after another translation.
    @Test func aTranslationMatchesTheSameTexts() throws {
        var generator = SeededGenerator(seed: 7)
        let parts = [
            "a", "b", ".", #"\d"#, "[ab]", "[^a]", "(a|b)", "(?i)b", "^", "$", "x*", "(ab)+", "é",
            "(?:a|)", "b{1,2}", #"\."#, #"\b"#,
        ]
        let texts = ["", "a", "ab", "aB", "b.a", "xx", "é", "aab1", "a\nb", "abab", "1", "😀a"]
        var count = 0
        for _ in 0..<500 {
            let pattern = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                parts[Int.random(in: 0..<parts.count, using: &generator)]
            }.joined()
            let expression = try RegularExpression(pattern)
            let translations = try #require(PortablePattern.translating(expression))
            let translated = try RegularExpression(translations)
            for text in texts {
                #expect(
                    expression.matches(text) == translated.matches(text),
                    "\(pattern) as \(translations) in \(text)")
                count += 1
            }
        }
        #expect(count == 6_000)
    }
}
