import ActiveConfig
import Foundation
import Testing

/// Documents at the limits and just over them (FORMAT 1.4).
@Suite(.timeLimit(.minutes(Rounds.minutes)), .onOneThread)
struct ConfigurationLimitsTests {
    /// Array nested `depth` levels deep.
    private func arrays(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    @Test func theLimitsAreTheFormatsByDefault() {
        #expect(ConfigurationLimits.default.maximumSize == 16_777_216)
        #expect(ConfigurationLimits.default.maximumDepth == 128)
        #expect(ConfigurationLimits() == .default)
    }

    @Test func theReaderAcceptsTheGreatestSizeAndNoByteMore() throws {
        let limit = ConfigurationLimits.default.maximumSize
        var bytes = Data(DocumentText.make().utf8)
        bytes.append(Data(repeating: 0x20, count: limit - bytes.count))
        #expect(try ConfigurationState(jsonData: bytes).sectionNames == ["S"])
        bytes.append(0x20)
        let error = try DocumentText.fault(in: bytes)
        #expect(error.code == .tooLarge)
        #expect(error.byteOffset == limit)
        #expect(error.reason.contains("16777217") && error.reason.contains("16777216"))
    }

    @Test func theReaderTakesASizeOfOnesOwn() throws {
        let text = DocumentText.make()
        let exact = ConfigurationLimits(maximumSize: text.utf8.count)
        let less = ConfigurationLimits(maximumSize: text.utf8.count - 1)
        #expect(try DocumentText.read(text, limits: exact).sectionNames == ["S"])
        #expect(try DocumentText.fault(in: text, limits: less).code == .tooLarge)
        #expect(
            try DocumentText.fault(in: "", limits: .init(maximumSize: -1)).code == .unexpectedEnd)
        #expect(try DocumentText.fault(in: "{", limits: .init(maximumSize: -1)).code == .tooLarge)
    }

    /// Five of the levels are the objects around the value.
    @Test func theReaderAcceptsTheGreatestDepthAndNoneMore() throws {
        #expect(try DocumentText.value(arrays(123)).arrayValue?.count == 1)
        let error = try DocumentText.fault(in: DocumentText.make(value: arrays(124)))
        #expect(error.code == .tooDeep)
        #expect(error.byteOffset == DocumentText.valueOffset + 123)
        let meta =
            String(repeating: #"{"a":"#, count: 127) + "1" + String(repeating: "}", count: 127)
        #expect(try DocumentText.read(DocumentText.make(meta: meta)).meta.count == 1)
        let deeper = DocumentText.make(meta: #"{"a":\#(meta)}"#)
        #expect(try DocumentText.fault(in: deeper).code == .tooDeep)
    }

    @Test func theReaderTakesADepthOfOnesOwn() throws {
        let text = DocumentText.make(value: "[]")
        #expect(try DocumentText.read(text, limits: .init(maximumDepth: 6)).sectionNames == ["S"])
        let error = try DocumentText.fault(in: text, limits: .init(maximumDepth: 5))
        #expect(error.code == .tooDeep)
        let deep = DocumentText.make(value: arrays(507))
        let state = try DocumentText.read(deep, limits: .init(maximumDepth: 512))
        #expect(String(decoding: state.jsonData(), as: UTF8.self).contains(arrays(507)))
        let deeper = DocumentText.make(value: arrays(508))
        let atMost = ConfigurationLimits(maximumDepth: .max)
        #expect(atMost.maximumDepth == ConfigurationLimits.depthLimit)
        #expect(try DocumentText.fault(in: deeper, limits: atMost).code == .tooDeep)
        #expect(ConfigurationLimits(maximumDepth: -1).maximumDepth == 1)
    }

    @Test func theReaderCountsDepthNotBrackets() throws {
        let value = "[" + String(repeating: "[[]],", count: 1000) + "]"
        #expect(try DocumentText.value(value).arrayValue?.count == 1000)
    }

    @Test(arguments: [
        Row("arrays", "[", 128), Row("objects", #"{"a":"#, 128 * 5), Row("both", #"[{"":"#, 64 * 5),
    ])
    func theReaderRefusesAHundredThousandBrackets(row: Row<String, Int>) throws {
        let text = String(repeating: row.input, count: 100_000)
        let alone = try DocumentText.fault(in: text)
        #expect(alone.code == .tooDeep)
        #expect(alone.byteOffset == row.expected)
        let ignored = try DocumentText.fault(in: #"{"x":"# + text)
        #expect(ignored.code == .tooDeep)
        let value = try DocumentText.fault(in: DocumentText.make(value: text))
        #expect(value.code == .tooDeep)
        let closing = try DocumentText.fault(in: String(repeating: "]", count: 100_000))
        #expect(closing.code == .syntax)
    }

    /// Reading 2 MiB of these would take minutes if it took quadratic time.
    @Test(arguments: [
        Row("small arrays", "[],", 3), Row("small objects", #"{"a":1},"#, 8), Row("zeros", "0,", 2),
    ])
    func theReaderReadsManySmallValues(row: Row<String, Int>) throws {
        let count = 2 * 1024 * 1024 / row.expected
        var text = DocumentText.make(value: "[@]")
        text.replace("@", with: String(repeating: row.input, count: count))
        let section = try #require(DocumentText.read(text).section(named: "S"))
        #expect(section.array(forKey: "k")?.count == count)
    }

    @Test func theReaderReadsSixteenMebibytesOfOneString() throws {
        let content = String(repeating: "é", count: 8_000_000)
        #expect(try DocumentText.value("\"\(content)\"") == .string(content))
    }

    @Test func theReaderReadsAHundredThousandOfOneKey() throws {
        let members = String(repeating: #""a":{"value":1},"#, count: 100_000)
        let text = DocumentText.make(sections: #"{"S":{"settings":{\#(members)}}}"#)
        #expect(try DocumentText.read(text).section(named: "S")?.settingKeys == ["a"])
    }
}
