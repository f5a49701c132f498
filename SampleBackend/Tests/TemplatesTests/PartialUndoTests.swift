import JSONTree
import Templates
import Testing

/// What the end of a scheduled publish takes back.
struct PartialUndoTests {
    private static func template(
        _ settings: JSONNode, groups: JSONNode = [:], conditions: [String] = []
    ) throws -> RemoteConfigTemplate {
        let json: JSONNode = [
            "conditions": .array(
                conditions.map { ["name": .string($0), "expression": "device.os == 'ios'"] }),
            "parameters": settings, "parameterGroups": groups,
        ]
        return try ValidatedTemplate(jsonData: json.jsonData()).template
    }

    private static func setting(_ value: String, _ conditional: [String: String] = [:]) -> JSONNode
    {
        var node: JSONNode = ["defaultValue": ["value": .string(value)]]
        guard !conditional.isEmpty else { return node }
        var values = JSONNode.emptyObject
        for (name, value) in conditional.sorted(by: { $0.key < $1.key }) {
            values.setMember(name, ["value": .string(value)])
        }
        node.setMember("conditionalValues", values)
        return node
    }

    /// A condition that others use stays, without the values that were added with it.
    @Test func aConditionThatOthersUseStaysWithoutItsValues() throws {
        let before = try Self.template(["y": Self.setting("1"), "z": Self.setting("1")])
        let changed = try Self.template(
            ["y": Self.setting("1", ["c": "2"]), "z": Self.setting("1")], conditions: ["c"])
        let live = try Self.template(
            ["y": Self.setting("1", ["c": "2"]), "z": Self.setting("1", ["c": "3"])],
            conditions: ["c"])
        let undo = PartialUndo(of: changed, to: before, in: live)
        let expected = try Self.template(
            ["y": Self.setting("1"), "z": Self.setting("1", ["c": "3"])], conditions: ["c"])
        #expect(undo.template.json() == expected.json())
        #expect(undo.kept == ["conditions.c"])
    }

    /// A setting that was moved, and then changed in its new place, is in one place.
    @Test func aMovedSettingThatWasChangedIsInOnePlace() throws {
        func sections(_ first: JSONNode, _ second: JSONNode) -> JSONNode {
            ["S1": ["parameters": first], "S2": ["parameters": second]]
        }
        let other = Self.setting("o")
        let before = try Self.template(
            [:], groups: sections(["m": Self.setting("1"), "n": Self.setting("1")], ["o": other]))
        let changed = try Self.template(
            [:], groups: sections(["n": Self.setting("2")], ["m": Self.setting("1"), "o": other]))
        let live = try Self.template(
            [:], groups: sections(["n": Self.setting("2")], ["m": Self.setting("5"), "o": other]))
        let undo = PartialUndo(of: changed, to: before, in: live)
        let expected = try Self.template(
            [:], groups: sections(["n": Self.setting("1")], ["m": Self.setting("5"), "o": other]))
        #expect(undo.template.json() == expected.json())
        #expect(undo.kept == ["parameterGroups.S2.parameters.m"])
    }

    /// A setting that both moved elsewhere stays where it is, and the others are taken back.
    @Test func aSettingThatBothMovedStays() throws {
        func sections(_ place: Int, _ value: String) -> JSONNode {
            var groups = JSONNode.emptyObject
            for number in 1...3 {
                var settings: JSONNode = ["s\(number)": Self.setting(value)]
                if number == place { settings.setMember("m", Self.setting("1")) }
                groups.setMember("S\(number)", ["parameters": settings])
            }
            return groups
        }
        let undo = PartialUndo(
            of: try Self.template([:], groups: sections(2, "new")),
            to: try Self.template([:], groups: sections(1, "old")),
            in: try Self.template([:], groups: sections(3, "new")))
        #expect(undo.template.json() == (try Self.template([:], groups: sections(3, "old")).json()))
        #expect(!undo.kept.isEmpty)
    }

    @Test func nothingIsKeptWhenNothingElseChanged() throws {
        let before = try Self.template(["a": Self.setting("1")])
        let changed = try Self.template(["a": Self.setting("2")], conditions: ["c"])
        let undo = PartialUndo(of: changed, to: before, in: changed)
        #expect(undo.template.json() == before.json() && undo.kept.isEmpty)
    }
}
