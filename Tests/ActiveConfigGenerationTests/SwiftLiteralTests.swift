import Testing

@testable import ActiveConfigGeneration

/// Literals as text; `GeneratedKeysTests` checks that the compiler accepts them.
struct SwiftLiteralTests {
    @Test(arguments: [
        ("plain", #""plain""#), ("", #""""#), (#"say "hi""#, #""say \"hi\"""#),
        (#"\(x)"#, #""\\(x)""#), ("a\n\r\t\0", #""a\n\r\t\0""#),
        ("\u{7F}\u{85}", #""\u{7F}\u{85}""#),
        ("\u{202E}x\u{2028}", #""\u{202E}x\u{2028}""#), ("\u{A0}\u{200B}", #""\u{A0}\u{200B}""#),
        ("\u{301}e\u{301}", "\"\\u{301}e\u{301}\""),
        ("👩‍👧 ❤️ é 日本", "\"👩‍👧 ❤️ é 日本\""), ("\u{E000}\u{FFFF}", #""\u{E000}\u{FFFF}""#),
    ])
    func aTextIsEscapedWhereItCannotBeSeen(text: String, literal: String) {
        #expect(Array(SwiftLiteral.string(text).utf8) == Array(literal.utf8))
    }

    @Test(arguments: [
        (0.0, "0.0"), (-0.0, "-0.0"), (1.0, "1.0"), (0.1, "0.1"), (-2.5, "-2.5"), (1e22, "1e+22"),
        (100_000.0, "100000.0"),
        // The compiler of this test also reads the decimal literal as another number.
        (0x1.1a6becd4a4169p4, "0x1.1a6becd4a4169p4 /* 17.65134890616301 */"),
        (1e300, "0x1.7e43c8800759cp996 /* 1e+300 */"),
        (.leastNonzeroMagnitude, "Double(bitPattern: 0x1) /* 5e-324 */"),
        (.infinity, ".infinity"), (-.infinity, "-.infinity"), (.nan, ".nan"),
    ])
    func aNumberIsDecimalWhereThatIsExact(number: Double, literal: String) {
        #expect(SwiftLiteral.number(number) == literal)
    }

    @Test(arguments: [
        (Float(0.1), "0.1"), (16_777_216, "16777216.0"),
        (.leastNonzeroMagnitude, "Float(bitPattern: 0x1) /* 1e-45 */"),
        (.greatestFiniteMagnitude, "0x1.fffffep127 /* 3.4028235e+38 */"),
    ])
    func aFloatIsDecimalWhereThatIsExact(number: Float, literal: String) {
        #expect(SwiftLiteral.number(number) == literal)
    }

    #if arch(x86_64)
        /// `Float80` rounds in the same way as the compiler.
        @Test func doublyRoundedNumbersAreFound() throws {
            var random = SeededGenerator(seed: 1)
            var doublyRounded = 0
            for _ in 0..<400_000 {
                let scales = [1e-4, 1, 1e4, 1e9, 1e15]
                let scale = scales[Int.random(in: 0..<5, using: &random)]
                let number = Double.random(in: 0..<scale, using: &random)
                let text = number.description
                let isExact = try Double(#require(Float80(text))) == number
                let isFound = try !#require(DecimalNumber(text)).isExactLiteral(precision: 53)
                // A number with a large exponent never counts as exact.
                if isFound != !isExact, isFound, !text.contains("e") { Issue.record("\(text)") }
                if !isExact {
                    doublyRounded += 1
                    #expect(isFound, "\(text)")
                }
            }
            #expect(doublyRounded > 10)
        }
    #endif

    /// The compiler accepts noncharacters neither raw nor escaped.
    @Test func aNoncharacterIsMadeOfItsBytes() {
        #expect(
            SwiftLiteral.string("a\u{FFFE}") == #""a\u{FFFE}""#)
        let text = String(decoding: [0x61, 0xEF, 0xB7, 0x90], as: UTF8.self)
        #expect(
            SwiftLiteral.string(text)
                == "String(decoding: [97, 239, 183, 144] as [UInt8], as: UTF8.self)")
    }
}
