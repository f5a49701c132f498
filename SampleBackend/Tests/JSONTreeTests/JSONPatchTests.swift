import Foundation
import Testing

@testable import JSONTree

/// JSON Patch (RFC 6902), applied to values that keep their form.
@Suite struct JSONPatchTests {
    @Test(arguments: [("\u{E9}", "e\u{301}"), ("K", "\u{212A}")])
    func anOperationChangesTheMemberOfItsBytesOnly(name: String, other: String) throws {
        let both = try Self.json("{\"\(name)\":1,\"\(other)\":2}")
        let replaced = try JSONPatch(json: [
            ["op": "replace", "path": .string("/" + other), "value": 3]
        ]).applied(to: both)
        #expect(replaced.description.hasSameBytes(as: "{\"\(name)\":1,\"\(other)\":3}"))
        let removed = try JSONPatch(json: [["op": "remove", "path": .string("/" + name)]])
            .applied(to: both)
        #expect(removed.description.hasSameBytes(as: "{\"\(other)\":2}"))
        #expect(throws: JSONPatchError.self) {
            _ = try JSONPatch(json: [["op": "remove", "path": .string("/" + name)]])
                .applied(to: removed)
        }
    }

    private static func json(_ text: String) throws -> JSONNode {
        try JSONNode(jsonData: Data(text.utf8))
    }

    /// Examples of RFC 6902, appendix A, and of RFC 6901, 5.
    @Test(arguments: [
        (
            #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux"}]"#,
            #"{"foo":"bar","baz":"qux"}"#
        ),
        (
            #"{"foo":["bar","baz"]}"#, #"[{"op":"add","path":"/foo/1","value":"qux"}]"#,
            #"{"foo":["bar","qux","baz"]}"#
        ),
        (#"{"baz":"qux","foo":"bar"}"#, #"[{"op":"remove","path":"/baz"}]"#, #"{"foo":"bar"}"#),
        (
            #"{"foo":["bar","qux","baz"]}"#, #"[{"op":"remove","path":"/foo/1"}]"#,
            #"{"foo":["bar","baz"]}"#
        ),
        (
            #"{"baz":"qux","foo":"bar"}"#, #"[{"op":"replace","path":"/baz","value":"boo"}]"#,
            #"{"baz":"boo","foo":"bar"}"#
        ),
        (
            #"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
            #"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
            #"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#
        ),
        (
            #"{"foo":["all","grass","cows","eat"]}"#,
            #"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#,
            #"{"foo":["all","cows","eat","grass"]}"#
        ),
        (
            #"{"baz":"qux","foo":["a",2,"c"]}"#,
            #"[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]"#,
            #"{"baz":"qux","foo":["a",2,"c"]}"#
        ),
        (
            #"{"foo":"bar"}"#, #"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
            #"{"foo":"bar","child":{"grandchild":{}}}"#
        ),
        (
            #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux","xyz":123}]"#,
            #"{"foo":"bar","baz":"qux"}"#
        ),
        (
            #"{"/":9,"~1":10}"#,
            #"[{"op":"test","path":"/~01","value":10},{"op":"replace","path":"/~1","value":8}]"#,
            #"{"/":8,"~1":10}"#
        ),
        (
            #"{"foo":["bar"]}"#, #"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#,
            #"{"foo":["bar",["abc","def"]]}"#
        ),
        (#"{"a":1}"#, #"[{"op":"replace","path":"","value":[2.50]}]"#, "[2.50]"),
        (#"{"":{"":1}}"#, #"[{"op":"replace","path":"//","value":2}]"#, #"{"":{"":2}}"#),
        (
            #"{"a":{"b":1.0}}"#,
            #"[{"op":"copy","from":"/a","path":"/c"},{"op":"add","path":"/c/d","value":1.50e10}]"#,
            #"{"a":{"b":1.0},"c":{"b":1.0,"d":1.50e10}}"#
        ),
    ])
    func aPatchChangesWhatItNames(document: String, patch: String, result: String) throws {
        let changed = try JSONPatch(json: Self.json(patch)).applied(to: Self.json(document))
        #expect(changed.description == result)
    }

    @Test(arguments: [
        (#"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz/bat","value":"qux"}]"#),
        (#"{"baz":"qux"}"#, #"[{"op":"test","path":"/baz","value":"bar"}]"#),
        (#"{"a":1}"#, #"[{"op":"test","path":"/a","value":10}]"#),
        (#"{"a":1}"#, #"[{"op":"test","path":"/a","value":-1}]"#),
        (#"{"a":1}"#, #"[{"op":"test","path":"/a","value":"1"}]"#),
        (#"{"a":[1,2]}"#, #"[{"op":"test","path":"/a","value":[1]}]"#),
        (#"{"a":{"b":1}}"#, #"[{"op":"test","path":"/a","value":{"c":1}}]"#),
        (
            #"{"a":9007199254740993}"#,
            #"[{"op":"test","path":"/a","value":9007199254740992}]"#
        ),
        (#"{"a":1}"#, #"[{"op":"replace","path":"/b","value":1}]"#),
        (#"{"a":1}"#, #"[{"op":"remove","path":"/b"}]"#),
        (#"{"a":1}"#, #"[{"op":"remove","path":""}]"#),
        (#"{"a":[1]}"#, #"[{"op":"add","path":"/a/2","value":1}]"#),
        (#"{"a":[1]}"#, #"[{"op":"replace","path":"/a/-","value":1}]"#),
        (#"{"a":[1]}"#, #"[{"op":"remove","path":"/a/00"}]"#),
        (#"{"a":[1]}"#, #"[{"op":"remove","path":"/a/99999999999999999999"}]"#),
        (#"{"a":[1]}"#, #"[{"op":"copy","from":"/a/b","path":"/c"}]"#),
    ])
    func aPatchThatDoesNotFitIsRefused(document: String, patch: String) throws {
        let patch = try JSONPatch(json: Self.json(patch))
        let document = try Self.json(document)
        let error = try #require(throws: JSONPatchError.self) { try patch.applied(to: document) }
        #expect(error.code == .notApplicable)
        #expect(error.message.hasPrefix("Operation 0 of the patch, "))
    }

    @Test(arguments: [
        "{}", "[1]", "[{}]", #"[{"op":"add","path":"/a"}]"#, #"[{"op":"spam","path":"/a"}]"#,
        #"[{"op":"remove"}]"#, #"[{"op":"remove","path":"a"}]"#, #"[{"op":"remove","path":"/~"}]"#,
        #"[{"op":"remove","path":"/~2"}]"#, #"[{"op":"move","from":"/a","path":"/a/b"}]"#,
        #"[{"op":"copy","path":"/a/b"}]"#,
    ])
    func aMalformedPatchIsRefused(patch: String) throws {
        let json = try Self.json(patch)
        let error = try #require(throws: JSONPatchError.self) { try JSONPatch(json: json) }
        #expect(error.code == .malformed)
    }

    /// Copies a value into itself, so that each operation doubles size or depth.
    private static func doubling(_ path: String) -> JSONNode {
        .array(
            Array(repeating: ["op": "copy", "from": "/a", "path": .string(path)], count: 60))
    }

    @Test(arguments: ["/a/-", "/a/0"])
    func aPatchCannotGrowAValueWithoutLimit(path: String) throws {
        let patch = try JSONPatch(json: Self.doubling(path))
        let error = try #require(throws: JSONPatchError.self) {
            try patch.applied(to: ["a": ["x"]])
        }
        #expect(error.code == .tooLarge)
    }

    @Test func aPatchCannotNestAValueWithoutLimit() throws {
        var limits = JSONPatchLimits()
        limits.maximumDepth = 4
        let add = try JSONPatch(json: [["op": "add", "path": "/a/b/c", "value": []]])
        #expect(try add.applied(to: ["a": ["b": [:]]], limits: limits)["a"]?["b"]?["c"] == [])
        let deeper = try JSONPatch(json: [["op": "add", "path": "/a/b/c", "value": [[]]]])
        let error = try #require(throws: JSONPatchError.self) {
            try deeper.applied(to: ["a": ["b": [:]]], limits: limits)
        }
        #expect(error.code == .tooLarge)
    }

    @Test func aPatchOfTooMuchWorkIsRefused() throws {
        let elements = JSONNode.array(Array(repeating: 1, count: 100_000))
        let moves = JSONNode.array(
            Array(repeating: ["op": "move", "from": "/0", "path": "/-"], count: 10_000))
        let patch = try JSONPatch(json: moves)
        let error = try #require(throws: JSONPatchError.self) { try patch.applied(to: elements) }
        #expect(error.code == .tooLarge)
        let tooMany = JSONNode.array(
            Array(repeating: ["op": "remove", "path": "/0"], count: 10_001))
        #expect(throws: JSONPatchError.self) { try JSONPatch(json: tooMany) }
    }

    /// Numbers that are equal (RFC 6902, 4.6).
    @Test(arguments: [
        ("1", "1.0"), ("1", "10e-1"), ("100", "1E+2"), ("0", "-0.00"), ("0", "0e5"),
        ("-2.50", "-25e-1"), ("9007199254740993", "9007199254740993.0"), ("0.001", "1e-3"),
    ])
    func aTestComparesNumbersByTheirValue(number: String, other: String) throws {
        for (left, right) in [(number, other), (other, number)] {
            let patch = try JSONPatch(
                json: Self.json(
                    #"[{"op":"test","path":"","value":{"b":[\#(left)],"a":true}}]"#))
            let document = try Self.json(#"{"a":true,"b":[\#(right)]}"#)
            #expect(try patch.applied(to: document) == document)
        }
    }

    @Test func aMoveToAnotherCompositionOfTheNameRenames() throws {
        let patch = try JSONPatch(
            json: [["op": "move", "from": "/\u{E9}", "path": "/e\u{301}"]])
        let changed = try patch.applied(to: ["\u{E9}": 1])
        #expect(changed.description.utf8.elementsEqual("{\"e\u{301}\":1}".utf8))
    }

    @Test(arguments: ["", "/a", "/b/0"])
    func aReplacedValueLeavesRoomForTheNewOne(path: String) throws {
        var limits = JSONPatchLimits()
        limits.maximumSize = 1_000
        let half = String(repeating: "x", count: 400)
        let document: JSONNode = ["a": .string(half), "b": [.string(half)]]
        let value = JSONNode.string(String(repeating: "z", count: 500))
        for operation in path == "/b/0" ? ["replace"] : ["replace", "add"] {
            let patch = try JSONPatch(
                json: [["op": .string(operation), "path": .string(path), "value": value]])
            let changed = try patch.applied(to: document, limits: limits)
            #expect(changed.description.contains("zzz"))
        }
        let tooLarge = try JSONPatch(
            json: [["op": "add", "path": "/c", "value": value]])
        #expect(throws: JSONPatchError.self) {
            try tooLarge.applied(to: document, limits: limits)
        }
    }

    @Test func theNameOfARemovedMemberDoesNotCount() throws {
        var limits = JSONPatchLimits()
        limits.maximumSize = 1_000
        var operations: [JSONNode] = []
        for number in 0..<20 {
            let path = JSONNode.string("/" + String(repeating: "n", count: 400) + "\(number)")
            operations.append(["op": "add", "path": path, "value": 1])
            operations.append(["op": "remove", "path": path])
        }
        let patch = try JSONPatch(json: .array(operations))
        #expect(try patch.applied(to: [:], limits: limits) == [:])
    }

    @Test func aSizeThatIsReplacedAndRemovedDoesNotCount() throws {
        var limits = JSONPatchLimits()
        limits.maximumSize = 1_000
        let text = JSONNode.string(String(repeating: "x", count: 400))
        var operations: [JSONNode] = []
        for _ in 0..<20 {
            operations.append(["op": "add", "path": "/a", "value": text])
            operations.append(["op": "add", "path": "/b", "value": text])
            operations.append(["op": "remove", "path": "/b"])
        }
        let patch = try JSONPatch(json: .array(operations))
        #expect(try patch.applied(to: [:], limits: limits) == ["a": text])
    }

    /// Object with a member for each key.
    private static func object(_ keys: some Sequence<String>) -> JSONNode {
        var object = JSONNode.emptyObject
        for key in keys { object.setMember(key, 0) }
        return object
    }

    @Test func eachParameterOfAFullTemplateCanBeRemoved() throws {
        let keys = (0..<3_000).map { "checkout_button_colour_\($0)" }
        // Removes the keys in a scattered order: 1,777 is coprime to their number.
        let removals = keys.indices.map { index -> JSONNode in
            ["op": "remove", "path": .string("/\(keys[index * 1_777 % keys.count])")]
        }
        let patch = try JSONPatch(json: .array(removals))
        #expect(try patch.applied(to: Self.object(keys)) == [:])
    }

    @Test(arguments: [(10_000, 1), (1_000, 8_000)])
    func aPatchThatMovesAnObjectsMembersManyTimesIsRefused(count: Int, keyLength: Int) throws {
        let padding = String(repeating: "x", count: keyLength)
        let keys = (0..<count).map { "\(padding)\($0)" }
        let operations = keys[(count / 3)...].prefix(4_500).flatMap { key -> [JSONNode] in
            [
                ["op": "remove", "path": .string("/\(key)")],
                ["op": "add", "path": .string("/\(key)"), "value": 0],
            ]
        }
        let patch = try JSONPatch(json: .array(operations))
        let error = try #require(throws: JSONPatchError.self) {
            try patch.applied(to: Self.object(keys))
        }
        #expect(error.code == .tooLarge)
    }

    /// A copy for each operation would make a long patch quadratic.
    @Test func anArrayIsChangedWhereItLies() throws {
        func place(_ document: JSONNode) -> UInt? {
            unsafe document["a"]?.arrayValue?.withUnsafeBufferPointer {
                UInt(bitPattern: $0.baseAddress)
            }
        }
        var application = JSONPatchApplication(
            document: ["a": .array(Array(repeating: 0, count: 1_000))], limits: .default)
        var last = place(application.document)
        var moveCount = 0
        for index in 0..<1_000 {
            try application.apply(.add(JSONPointer(tokens: ["a", "-"]), 0), index: index)
            let new = place(application.document)
            if new != last { moveCount += 1 }
            last = new
        }
        #expect(last != nil)
        // Growing moves an array, too, at most each time that its capacity doubles.
        #expect(moveCount <= 3)
    }

    /// Patches in the console's form; its tests read the same fixture.
    @Test func aPatchOfTheConsoleKeepsTheOrderOfMembers() throws {
        let url = try #require(
            Bundle.module.url(
                forResource: "ordered-patches", withExtension: "json", subdirectory: "Fixtures"))
        let rows = try #require(try JSONNode(jsonData: Data(contentsOf: url)).arrayValue)
        try #require(!rows.isEmpty)
        for row in rows {
            let from = try Self.json(try #require(row["from"]?.stringValue))
            let patch = try JSONPatch(json: try #require(row["patch"]))
            let changed = try patch.applied(to: from)
            #expect(changed.description == row["to"]?.stringValue, "\(row)")
        }
    }
}
