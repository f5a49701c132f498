import Foundation
import JSONTree
import Testing

struct JSONNodeTests {
    /// Groups of values that all differ from each other.
    private static let different: [[JSONNode]] = [
        [.number("1"), .number("1.0")], ["1", .number("1")], [.null, false], [[], [:]],
        [.array([1, 2]), .array([2, 1])], [["a": 1], ["a": 1, "b": 2]], [["a": .null], [:]],
        [["a": .null], ["b": .null]],
    ]

    @Test(arguments: [JSONNode.KeyRule.strict, .lastCounts])
    func anObjectKeepsKeysThatOnlyDifferInTheirBytes(keys: JSONNode.KeyRule) throws {
        let text = "{\"\u{E9}\":1,\"e\u{301}\":2,\"K\":3,\"\u{212A}\":4}"
        let node = try JSONNode(jsonData: Data(text.utf8), keys: keys)
        #expect(node.description.hasSameBytes(as: text))
        #expect(node["\u{E9}"] == 1 && node["e\u{301}"] == 2)
        #expect(node != ["e\u{301}": 1, "\u{E9}": 2, "K": 3, "\u{212A}": 4])
    }

    @Test func aNodeComparesMembersInWhateverOrder() {
        let left: JSONNode = ["a": 1, "b": ["c": "x", "d": .null]]
        let right: JSONNode = ["b": ["d": .null, "c": "x"], "a": 1]
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        #expect(Set([left, right]).count == 1)
    }

    @Test(arguments: different)
    func aNodeTellsValuesApart(values: [JSONNode]) {
        #expect(values[0] != values[1])
        #expect(values[1] != values[0])
    }

    @Test func aNodeGivesAValueOfItsOwnKindOnly() {
        #expect(JSONNode.number("5").integerValue == 5)
        #expect(JSONNode.number("5.0").integerValue == nil)
        #expect(JSONNode.number("5.5").doubleValue == 5.5)
        #expect(JSONNode.number("99999999999999999999").integerValue == nil)
        #expect(JSONNode.string("5").integerValue == nil)
        #expect(JSONNode.string("true").boolValue == nil)
        #expect(JSONNode.bool(true).stringValue == nil)
        #expect(JSONNode.null["a"] == nil)
        #expect((["a": 1] as JSONNode)["a"] == 1)
        #expect(([1] as JSONNode).arrayValue == [1])
    }

    @Test func aNodeDescribesItsKind() {
        let kinds = ([.null, true, 1, "x", [], [:]] as [JSONNode]).map(\.kindDescription)
        #expect(kinds == ["null", "a boolean", "a number", "a string", "an array", "an object"])
    }

    @Test func aNodeTakesTheLastOfANameThatStandsTwiceInALiteral() {
        #expect((["a": 1, "a": 2] as JSONNode) == ["a": 2])
    }

    @Test func aNodeTellsTextsApartByTheirBytes() {
        let (composed, decomposed) = (JSONNode.string("\u{E9}"), JSONNode.string("e\u{301}"))
        #expect(composed != decomposed)
        #expect(JSONNode.array([composed]) != .array([decomposed]))
        #expect(decomposed == .string("e\u{301}"))
    }

    @Test(arguments: [
        ("", [""]), ("ab", ["ab"]), ("${x}", ["", ""]),
        ("a${x}\u{301}b${x}", ["a", "\u{301}b", ""]),
        ("${${x}", ["${", ""]), ("${x", ["${x"]),
    ])
    func aNodeSplitsTextByBytes(text: String, parts: [String]) {
        #expect(text.parts(between: "${x}") == parts)
    }

    @Test func aNodeBoundsTextByScalars() {
        let text = "e" + String(repeating: "\u{301}", count: 9)
        #expect(text.count == 1)
        #expect(text.characterCount == 10)
        #expect(!text.isLonger(than: 10))
        #expect(text.isLonger(than: 9))
        #expect(String(repeating: "😀", count: 10).isLonger(than: 9))
        #expect(!String(repeating: "😀", count: 10).isLonger(than: 10))
        #expect(!"".isLonger(than: 0))
        #expect(String(repeating: "e\u{301}", count: 100).shortened.unicodeScalars.count == 61)
    }
}
