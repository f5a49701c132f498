import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigJSON

/// Reading strings (FORMAT 1.5) and the escapes of RFC 8259.
struct JSONReaderStringsTests {
    /// Error code for a string value of these bytes, and the byte offset from its opening quotation
    /// mark.
    private func fault(_ content: [UInt8]) throws -> (ConfigurationFormatError.Code, Int) {
        var parts = DocumentText.make(value: "\"@\"").split(separator: "@").map { Data($0.utf8) }
        parts.insert(Data(content), at: 1)
        let error = try DocumentText.fault(in: Data(parts.joined()))
        return (error.code, try #require(error.byteOffset) - DocumentText.valueOffset)
    }

    @Test(arguments: [
        Row("all", #"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{C}\n\r\t"),
        Row("code units", #"\u0041\u00e9\u20AC\uFFFF"#, "Aé€\u{FFFF}"),
        Row("pair", #"\ud83d\uDE39"#, "😹"), Row("last pair", #"\uDBFF\uDFFF"#, "\u{10FFFF}"),
        Row("zero", #"a\u0000b"#, "a\0b"), Row("mixed", #"é\n😹\u00e9x"#, "é\n😹éx"),
        Row("delete", "\u{7F}", "\u{7F}"),
        Row("separators", "\u{2028}\u{2029}", "\u{2028}\u{2029}"),
        Row("slash behind", #"\\u0041"#, #"\u0041"#), Row("empty", "", ""),
    ])
    func theReaderReadsEscapesAndCharacters(row: Row<String, String>) throws {
        let string = try #require(try DocumentText.value("\"\(row.input)\"").stringValue)
        #expect(Array(string.utf8) == Array(row.expected.utf8))
    }

    /// Tries each length and each position of an escape: the reader handles eight bytes per step.
    @Test func theReaderReadsStringsOfEveryLength() throws {
        for length in 0...40 {
            let text = String(repeating: "x", count: length)
            #expect(try DocumentText.value("\"\(text)\"") == .string(text))
            for special in [(#"\n"#, "\n"), ("é", "é"), (#"\""#, "\"")] {
                for place in 0...length {
                    let before = text.prefix(place)
                    let after = text.dropFirst(place)
                    let value = try DocumentText.value("\"\(before)\(special.0)\(after)\"")
                    #expect(value == .string(before + special.1 + after))
                }
            }
        }
    }

    @Test(
        arguments: [
            Row("lone byte", [0xFF], 0), Row("continuation", [0x61, 0x80], 1),
            Row("cut sequence", [0x61, 0x62, 0xC3], 2), Row("cut by ASCII", [0xE2, 0x82, 0x61], 0),
            Row("overlong", [0xC0, 0xAF], 0),
            Row("overlong of three", [0x61, 0xE0, 0x80, 0x80], 1),
            Row("surrogate", [0xED, 0xA0, 0x80], 0), Row("too large", [0xF4, 0x90, 0x80, 0x80], 0),
            Row("after characters", Array("é😹".utf8) + [0xC3, 0x28], 6),
            Row("after eight bytes", Array("abcdefghij".utf8) + [0xFE], 10),
            Row("after an escape", Array(#"\u00e9\n"#.utf8) + [0xA9], 8),
            Row("before an escape", [0xC3] + Array(#"\u00a9"#.utf8), 0),
        ] as [Row<[UInt8], Int>])
    func theReaderRefusesInvalidUTF8AtItsPlace(row: Row<[UInt8], Int>) throws {
        let (code, offset) = try fault(row.input)
        #expect(code == .invalidUTF8)
        #expect(offset == row.expected + 1)
    }

    @Test func theReaderRefusesInvalidUTF8InKeys() throws {
        let bytes = Data(#"{"meta":{""#.utf8) + [0xFF] + Data(#"":1},"config_sections":{}}"#.utf8)
        let error = try DocumentText.fault(in: bytes)
        #expect(error.code == .invalidUTF8)
        #expect(error.byteOffset == 10)
        let name = Data("{\"".utf8) + [0xFF] + Data(#"":1,"meta":{},"config_sections":{}}"#.utf8)
        #expect(try DocumentText.fault(in: name).byteOffset == 2)
    }

    @Test(arguments: [
        Row("lead alone", #"\ud800"#, 0), Row("lead after text", #"ab\ud83dcd"#, 2),
        Row("trail alone", #"\udc00"#, 0), Row("lead twice", #"\ud800\ud800"#, 0),
        Row("in reverse order", #"\ude39\ud83d"#, 0), Row("lead then escape", #"a\uD800\n"#, 1),
        Row("lead then character", #"\uD888\u1234"#, 0),
        Row("after a pair", #"\ud83d\ude39\ud83d"#, 12),
        Row("unknown", #"ab\x"#, 2), Row("capital", #"\U0041"#, 0), Row("tab", "\\\t", 0),
        Row("of two bytes", "\\é", 0), Row("two digits", #"a\u00"#, 1),
        Row("no digit", #"\u00g0"#, 0),
        Row("fullwidth digit", "\\u00０0", 0), Row("sign", #"\u+041"#, 0),
        Row("bad trail", #"\ud83d\ude3"#, 6),
    ])
    func theReaderRefusesBadEscapesAtTheirPlace(row: Row<String, Int>) throws {
        let (code, offset) = try fault(Array(row.input.utf8))
        #expect(code == .invalidEscape)
        #expect(offset == row.expected + 1)
    }

    @Test(arguments: 0..<0x20)
    func theReaderRefusesControlCharactersAtTheirPlace(control: Int) throws {
        for place in [0, 1, 7, 8, 9, 20] {
            let text = [UInt8](repeating: 0x61, count: place)
            let (code, offset) = try fault(text + [UInt8(control), 0x62])
            #expect(code == .syntax)
            #expect(offset == place + 1)
        }
    }

    @Test(arguments: ["\"", "\"a", "\"a\\", "\"a\\\"", "\"a\\u00", "\"12345678"])
    func theReaderRefusesAStringThatDoesNotEnd(text: String) throws {
        let document = #"{"meta":"# + text
        let error = try DocumentText.fault(in: document)
        #expect(error.code == .unexpectedEnd)
        #expect(error.byteOffset == document.utf8.count)
        #expect(error.path == "meta")
    }

    /// Apple's systems before iOS 18 and its counterparts use it instead of the standard library's.
    @Test func theReadersOwnCheckOfUTF8AgreesWithFoundation() {
        let edges: [UInt8] = [
            0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1,
            0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        var sequences: [[UInt8]] = [[]]
        for length in 1...4 {
            // Only these lead bytes start sequences of four bytes.
            let leads = length == 4 ? [0xF0, 0xF1, 0xF4] : edges
            sequences = leads.flatMap { lead in sequences.map { [lead] + $0 } }
            for bytes in sequences {
                let fault = unsafe bytes.withUnsafeBytes { unsafe UTF8Validity.firstFault(in: $0) }
                #expect((fault == nil) == (String(bytes: bytes, encoding: .utf8) != nil))
            }
        }
    }
}
