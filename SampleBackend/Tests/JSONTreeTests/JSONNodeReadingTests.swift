import ActiveConfig
import Foundation
import JSONTree
import OrderedCollections
import Testing

struct JSONNodeReadingTests {
    private func node(_ text: String) throws -> JSONNode {
        try JSONNode(jsonData: Data(text.utf8))
    }

    @Test func theReaderReadsEachKindOfValue() throws {
        #expect(
            try node(#" {"n": null, "b": [true, false], "s": "a\u00e9\n", "x": -1.50e+2} "#) == [
                "n": .null, "b": [true, false], "s": "aé\n", "x": .number("-1.50e+2"),
            ])
        #expect(try node("\u{FEFF}[]") == [])
        #expect(try node("7").integerValue == 7)
    }

    @Test func theReaderKeepsTheOrderOfMembersAndTheTextOfNumbers() throws {
        let json = try node(#"{"b": 1.0, "a": 10000000000000000000000, "c": -0}"#)
        #expect(json.objectValue.map { Array($0.keys) } == ["b", "a", "c"])
        #expect(json.description == #"{"b":1.0,"a":10000000000000000000000,"c":-0}"#)
    }

    @Test(arguments: [
        ("", "ends"), ("{", "ends"), ("{\"a\" 1}", "expected"), ("[1 2]", "expected"),
        ("tru", "ends"),
        ("{\"a\": 1, \"a\": 2}", "occurs twice"), ("[1] 2", "follows"),
        ("01", "leave the zeros out"), ("\"\t\"", "write it as an escape"),
    ])
    func theReaderRefusesTextThatIsNoJSON(text: String, reason: String) {
        do throws(ConfigurationFormatError) {
            _ = try JSONNode(jsonData: Data(text.utf8))
            Issue.record("it was read")
        } catch {
            #expect(error.line == 1)
            #expect(error.reason.contains(reason), "\(error.reason)")
        }
    }

    @Test func theReaderFindsAKeyThatStandsTwiceHoweverItIsWritten() throws {
        #expect(throws: ConfigurationFormatError.self) { try node(#"{"a": 1, "\u0061": 2}"#) }
    }

    @Test func theReaderRefusesInvalidUTF8() {
        #expect(throws: ConfigurationFormatError.self) {
            try JSONNode(jsonData: Data([0x22, 0xFF, 0x22]))
        }
    }

    @Test func theReaderBoundsSizeAndDepth() throws {
        let limits = ConfigurationLimits(maximumSize: 10, maximumDepth: 3)
        _ = try JSONNode(jsonData: Data("[[[1]]]".utf8), limits: limits)
        #expect(throws: ConfigurationFormatError.self) {
            try JSONNode(jsonData: Data("[[[[]]]]".utf8), limits: limits)
        }
        #expect(throws: ConfigurationFormatError.self) {
            try JSONNode(jsonData: Data("12345678901".utf8), limits: limits)
        }
        let deep = String(repeating: "[", count: 1_000_000)
        #expect(throws: ConfigurationFormatError.self) { try node(deep) }
    }
}
