import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Written documents: FORMAT 1.2, 2.4, 4.2, and `jsonData()`.
@Suite(.onOneThread)
struct DocumentWriterTests {
    private func text(_ state: ConfigurationState) -> String {
        String(decoding: state.jsonData(), as: UTF8.self)
    }

    /// FORMAT 1.2: no trailing commas, no ignored members, keys sorted.
    @Test func theWriterWritesTheExampleCompactlyAndSorted() throws {
        let state = try ConfigurationState(jsonData: try Fixture.data("published-example.json"))
        #expect(
            text(state)
                == #"{"config_sections":{"ConfigSection1":{"settings":{"SettingKey1":{"value":"#
                + #""This can be a string, number, boolean, array or object"}}}},"#
                + #""meta":{"creation_time":"2012-08-20T19:36Z","format_version_string":"1.0","#
                + #""other_meta_key":"arbitrary objects with other relevant information"}}"#)
    }

    @Test func theWriterWritesEmptyPartsAsTheFormatHasThem() {
        #expect(text(.make(meta: [:], sections: [:])) == #"{"config_sections":{},"meta":{}}"#)
        #expect(
            text(.make(meta: [:], sections: ["S": [:]]))
                == #"{"config_sections":{"S":{"settings":{}}},"meta":{}}"#)
    }

    /// With Swift's `<`, the Kelvin sign is neither less than, greater than nor equal to "K::".
    @Test func theWriterSortsNamesByTheirBytes() {
        let names = ["K::", "KR", "K:", "\u{212A}", "a", "Z", "\u{E9}", "\u{FF41}", "\u{1F600}"]
        let sorted =
            #""K:":1,"K::":1,"KR":1,"Z":1,"a":1,"\#u{E9}":1,"\#u{212A}":1,"\#u{FF41}":1,"\#u{1F600}":1"#
        let settings = sorted.replacing(":1", with: #":{"value":1}"#)
        for rotation in names.indices {
            let rotated = names[rotation...] + names[..<rotation]
            let object = Dictionary(
                uniqueKeysWithValues: rotated.map { ($0, SettingValue.integer(1)) })
            #expect(
                String(decoding: SettingValue.object(object).jsonData(), as: UTF8.self)
                    == "{\(sorted)}")
            #expect(
                text(.make(meta: [:], sections: ["S": ActiveConfigSection(settings: object)]))
                    == #"{"config_sections":{"S":{"settings":{\#(settings)}}},"meta":{}}"#)
        }
    }

    @Test func theWriterSortsKeysInEveryDepth() {
        let state = ConfigurationState.make(
            meta: ["b": ["z": 1, "a": [["y": 1, "x": 2]]], "a": 1, "B": 2],
            sections: ["T": ["b": 1, "a": 2], "S": [:], "é": [:], "Z": [:]])
        #expect(
            text(state)
                == #"{"config_sections":{"S":{"settings":{}},"T":{"settings":{"a":{"value":2},"#
                + #""b":{"value":1}}},"Z":{"settings":{}},"é":{"settings":{}}},"#
                + #""meta":{"B":2,"a":1,"b":{"a":[{"x":2,"y":1}],"z":1}}}"#)
    }

    /// The order of a dictionary depends on its history; the written text does not.
    @Test func theWriterWritesTheSameBytesInWhateverOrderADocumentWasMade() throws {
        let keys = (0..<200).map { "key\($0)" }
        let members = keys.map { #""\#($0)":{"value":{\#($0 == "key7" ? "" : #""a":1,"b":2"#)}}"# }
        let expected = try DocumentText.read(
            DocumentText.make(sections: #"{"S":{"settings":{\#(members.joined(separator: ","))}}}"#)
        )
        var generator = SeededGenerator.printingItsSeed()
        for _ in 0..<20 {
            let shuffled = members.shuffled(using: &generator).joined(separator: ",")
            let other = try DocumentText.read(
                DocumentText.make(sections: #"{"S":{"settings":{\#(shuffled)}}}"#))
            #expect(other == expected)
            #expect(other.jsonData() == expected.jsonData())
            var copy = ConfigurationState.make(meta: [:], sections: [:])
            var settings: [String: SettingValue] = [:]
            for key in keys.shuffled(using: &generator) {
                settings[key] = expected.section(named: "S")?[key]
            }
            copy.sections["S"] = ActiveConfigSection(settings: settings)
            #expect(copy.jsonData() == expected.jsonData())
        }
    }

    /// FORMAT 4.2.
    @Test(
        arguments: [
            Row("integer", 1 as SettingValue, "1"), Row("double", 1.0, "1.0"), Row("zero", 0, "0"),
            Row("zero double", 0.0, "0.0"), Row("negative zero", .double(-0.0), "-0.0"),
            Row("shortest", 0.1, "0.1"), Row("greatest", .integer(.max), "9223372036854775807"),
            Row("least", .integer(.min), "-9223372036854775808"), Row("large", 1e16, "1e+16"),
            Row("beyond Int64", .double(0x1p63), "9.223372036854776e+18"),
            Row("greatest double", .double(.greatestFiniteMagnitude), "1.7976931348623157e+308"),
            Row("least double", .double(.leastNonzeroMagnitude), "5e-324"),
            Row("bool", true, "true"), Row("null", nil, "null"),
            Row("array", [1, [nil]], "[1,[null]]"),
            Row("object", ["b": [:], "a": []], #"{"a":[],"b":{}}"#),
            Row("not a number", .double(.nan), "null"), Row("infinite", .double(.infinity), "null"),
        ] as [Row<SettingValue, String>])
    func theWriterWritesEachKindOfValue(row: Row<SettingValue, String>) throws {
        #expect(row.input.description == row.expected)
        guard row.expected != "null" else { return }
        let copy = try DocumentText.value(row.expected)
        #expect(copy == row.input)
        #expect(copy.description == row.expected)
    }

    /// FORMAT 4.1 and 4.2: the kind of a number and every bit of a double survive.
    @Test func theWriterKeepsTheKindOfNumbersThroughWritingAndReading() throws {
        var generator = SeededGenerator.printingItsSeed()
        let patterns = (0..<2_000).map { _ in Double(bitPattern: generator.next()) }
        let doubles = (patterns + [1, -1, 0, 1e22, 1e-22, 123_456_789]).filter(\.isFinite)
        let integers = (0..<2_000).map { _ in Int(truncatingIfNeeded: generator.next()) }
        let state = ConfigurationState.make(
            meta: [
                "d": .array(doubles.map(SettingValue.double)),
                "i": .array(integers.map(SettingValue.integer)),
            ], sections: [:])
        let copy = try ConfigurationState(jsonData: state.jsonData())
        let elements = try #require(copy.meta["d"]?.arrayValue)
        for (double, element) in zip(doubles, elements) {
            guard case .double(let other) = element else {
                Issue.record("\(double) came back as \(element)")
                continue
            }
            #expect(other.bitPattern == double.bitPattern)
        }
        #expect(copy.meta["i"] == .array(integers.map(SettingValue.integer)))
    }

    @Test func theWriterEscapesWhatAStringMayNotHold() throws {
        let all = (0..<0x30).compactMap { Unicode.Scalar($0).map(String.init) }.joined()
        let string = all + #""\/"# + "\u{7F}é😹\u{2028}\u{FEFF}\u{FFFF}"
        let value = SettingValue.string(string)
        #expect(
            value.description.hasPrefix(
                #""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\u0008\t\n\u000b\u000c\r\u000e"#)
        )
        #expect(value.description.hasSuffix("/\u{7F}é😹\u{2028}\u{FEFF}\u{FFFF}\""))
        let copy = try DocumentText.value(value.description)
        #expect(copy.stringValue.map { Array($0.utf8) } == Array(string.utf8))
        let foundation = try JSONSerialization.jsonObject(
            with: Data(value.description.utf8), options: .fragmentsAllowed)
        #expect(foundation is String)
    }

    @Test func theWriterEscapesKeysEverywhere() throws {
        let state = ConfigurationState.make(
            meta: ["\"\n": ["\\": 1]], sections: ["\u{1}\"": ["\t\\": 1], "": ["": 2]])
        #expect(try ConfigurationState(jsonData: state.jsonData()) == state)
        #expect(text(state).contains(#""\u0001\"":{"settings":{"\t\\":{"value":1}}}"#))
    }

    /// A bridged string has no contiguous UTF-8.
    @Test func theWriterWritesStringsOfFoundation() throws {
        let string = NSString(string: "é\"😹") as String
        #expect(SettingValue.string(string).description == #""é\"😹""#)
    }
}
