import ActiveConfig
import Foundation
import JSONTree
import SeededRandomness
import Testing

struct JSONNodeExchangeFormatTests {
    @Test(arguments: [
        ("1", "1"), ("-0", "0"), ("007", "7"), ("1.0", "1.0"), ("-0.0", "-0.0"), (".5", "0.5"),
        ("1e2", "100.0"), ("1e19", "1e+19"), ("1.10", "1.1"), ("1e-7", "1e-07"),
        ("0.1000000000000000055", "0.1"), ("9007199254740993", "9007199254740993"),
        ("9223372036854775807", "9223372036854775807"),
        ("9223372036854775808", "9223372036854775808"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("-9223372036854775809", "-9223372036854775809"),
        ("10000000000000000000", "10000000000000000000"),
        ("-00012345678901234567890", "-12345678901234567890"),
        ("12345678901234567890.0", "1.2345678901234567e+19"),
        ("12345678901234567890e0", "1.2345678901234567e+19"),
        ("1e400", "null"), ("1" + String(repeating: "0", count: 400), "null"), ("nan", "null"),
        ("0.0e-99999", "0.0"), ("", "null"), ("-", "null"), ("x", "null"),
    ])
    func aNumberIsWrittenAsInADocument(text: String, expected: String) {
        #expect(JSONNode(number: text).description == expected)
    }

    @Test func theFormSortsMembersByTheirBytes() throws {
        let text = #"{"b":[{"é":1.50,"z":2,"a":12345678901234567890}],"B":null,"a":"x"}"#
        let node = try JSONNode(jsonData: Data(text.utf8))
        #expect(
            node.exchangeForm.description
                == #"{"B":null,"a":"x","b":[{"a":12345678901234567890,"z":2,"é":1.5}]}"#)
    }

    @Test func theFormIsTheTextThatTheFrameworkWrites() throws {
        var random = SeededGenerator(seed: 42)
        for _ in 0..<500 {
            let text = Self.text(depth: 3, using: &random)
            let node = try JSONNode(jsonData: Data(text.utf8), keys: .lastCounts)
            let value = try SettingValue(jsonData: Data(text.utf8))
            #expect(node.exchangeForm.description == value.description, "\(text)")
        }
    }

    /// Random JSON without integers beyond 64 bits, with repeated keys; without canonically
    /// equivalent ones, of which the framework keeps the last (FORMAT 1.3).
    private static func text(depth: Int, using random: inout SeededGenerator) -> String {
        let count = Int.random(in: 0...4, using: &random)
        switch Int.random(in: depth > 0 ? 0...6 : 2...6, using: &random) {
        case 0:
            let items = (0..<count).map { _ in text(depth: depth - 1, using: &random) }
            return "[\(items.joined(separator: ", "))]"
        case 1:
            let items = (0..<count).map { _ in
                let key = ["a", "B", "é", "\\u0061", "z\\n"].randomElement(using: &random)
                return "\"\(key ?? "")\": " + text(depth: depth - 1, using: &random)
            }
            return "{\(items.joined(separator: ", "))}"
        case 2: return "\(Int.random(in: .min ... .max, using: &random))"
        case 3:
            let exponent = Int.random(in: -320...300, using: &random)
            return "\(Int.random(in: -99_999...99_999, using: &random)).50e\(exponent)"
        case 4: return ["true", "false", "null", "-0"].randomElement(using: &random) ?? ""
        default: return #""a \"b\" \u00e9 \n""#
        }
    }

    /// The form keeps both spellings of a key; the framework, to which they are one, reads the last
    /// by bytes, whatever their order was.
    @Test(arguments: [#"{"é": 1, "e\u0301": 2}"#, #"{"e\u0301": 2, "é": 1}"#])
    func theFrameworkReadsOneOfTwoEquivalentKeys(text: String) throws {
        let form = try JSONNode(jsonData: Data(text.utf8), keys: .lastCounts).exchangeForm
        #expect(form.description.hasSameBytes(as: "{\"e\u{301}\":2,\"é\":1}"))
        let value = try SettingValue(jsonData: Data(form.description.utf8))
        #expect(value == .object(["é": 1]))
    }

    @Test func theLastOfEqualKeysCounts() throws {
        let text = #"{"a": 1, "b": 2, "\u0061": 3}"#
        let node = try JSONNode(jsonData: Data(text.utf8), keys: .lastCounts)
        #expect(node.description == #"{"a":3,"b":2}"#)
    }
}
