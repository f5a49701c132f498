import Foundation
import JSONTree
import SeededRandomness
import Templates
import Testing

/// Pinned values and the texts of their changes in the audit trail.
struct PinnedValuesTests {
    private static let names = [
        "Home", "a", "a.b", "b", "x y", "", "é", "e\u{301}", "q\"q", "\"q\"", "A = 1; B", "…",
        "A\\",
        "A no longer pinned (was 1); B", "(was 1)", "and 3 more", "\n",
    ]

    private static let values: [JSONNode] = [
        "", "x", "a \"b\" \\", "; Home.b = \"", ")", " (was 1)", "\u{7}", "é…", 1, .number("1.50"),
        .number("-2"), true,
        false, .null, [], [:], [1, ["a": "]}"], "; "], ["a b": ["c)": "}"], "d": [:]],
        ["a;": .number("1e3")],
    ]

    private static func document(using random: inout SeededGenerator) -> JSONNode {
        var document = JSONNode.emptyObject
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            var section = JSONNode.emptyObject
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                section.setMember(
                    names.randomElement(using: &random) ?? "", values.randomElement(using: &random))
            }
            document.setMember(names.randomElement(using: &random) ?? "", section)
        }
        return document
    }

    private static func text(_ before: JSONNode, _ after: JSONNode) -> String? {
        PinnedValuesText.differences(from: before.jsonData(), to: after.jsonData())
    }

    private static func pins(_ node: JSONNode) -> PinnedValues? {
        PinnedValues(jsonData: node.jsonData())
    }

    @Test func aChangeCanBeRevertedByItsText() throws {
        var random = SeededGenerator.printingItsSeed()
        for _ in 0..<Rounds.count(2_000, nightly: 100_000) {
            let before = Self.document(using: &random)
            let after = Self.document(using: &random)
            let text = Self.text(before, after)
            let reverted = try Self.pins(after)?.reverting(text)
            #expect(reverted == Self.pins(before), "\(before) \(after) \(text ?? "")")
            #expect(reverted?.json == before, "\(before)")
        }
    }

    @Test(
        arguments: [
            (["Home": ["title": "y"]], "Home.title = \"y\" (was \"x\")"),
            (["Home": [:]], "Home = {}; Home.title no longer pinned (was \"x\")"),
            (["a.b": ["c": 1]], "Home.title no longer pinned (was \"x\"); \"a.b\".c = 1"),
            ([:], "Home.title no longer pinned (was \"x\")"),
        ] as [(JSONNode, String)])
    func aTextNamesSectionsKeysAndBothValues(after: JSONNode, text: String) {
        #expect(Self.text(["Home": ["title": "x"]], after) == text)
    }

    /// Values whose starts look like the ends of texts.
    @Test(arguments: [
        "x", "); C.z no longer pinned (was 1)", "; C.z = 1", "\"", "\\\"", "{", "…",
    ])
    func aCutTextRevertsNothing(start: String) {
        let long = start + String(repeating: "y", count: 5_000)
        let values: JSONNode = ["A": ["k": .string(long), "l": .string(long)], "B": ["k": "z"]]
        let rows: [(before: JSONNode, after: JSONNode)] = [
            (values, [:]), ([:], values), (values, ["B": ["k": "z"]]),
        ]
        for (before, after) in rows {
            #expect(throws: PinnedValues.RevertError.incomplete) {
                try Self.pins(after)?.reverting(Self.text(before, after))
            }
        }
        var many = JSONNode.emptyObject
        for key in 0..<1_000 { many.setMember("k\(key)", .string(start)) }
        #expect(throws: PinnedValues.RevertError.incomplete) {
            try PinnedValues().reverting(Self.text(["A": many], [:]))
        }
    }

    @Test func aTextOfUnknownValuesRevertsNothing() {
        for after in [nil, "{}", #"{"A":{"k":1}}"#] {
            let data = after.map { Data($0.utf8) }
            let text = PinnedValuesText.differences(from: nil, to: data, isBeforeKnown: false)
            #expect(throws: PinnedValues.RevertError.incomplete, "\(text ?? "")") {
                try PinnedValues(jsonData: data)?.reverting(text)
            }
        }
    }

    @Test func otherValuesThanThoseOfTheTextAreAContradiction() {
        let text = Self.text(["A": ["k": 1, "l": 1]], ["A": ["k": 2]])
        for others in [["A": ["k": 1]], [:], ["A": ["k": 2, "l": 1]]] as [JSONNode] {
            #expect(throws: PinnedValues.RevertError.contradiction) {
                try Self.pins(others)?.reverting(text)
            }
        }
    }
}
