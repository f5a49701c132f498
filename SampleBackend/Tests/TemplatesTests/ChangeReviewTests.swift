import JSONTree
import Templates
import Testing

struct ChangeReviewTests {
    /// A template of conditions, and of settings whose conditional values are named by them.
    private static func template(
        conditions: [String] = [], _ settings: [String: String], using: [String: [String]] = [:]
    ) throws -> RemoteConfigTemplate {
        var parameters = JSONNode.emptyObject
        for (key, value) in settings.sorted(by: { $0.key < $1.key }) {
            var parameter: JSONNode = ["defaultValue": ["value": .string(value)]]
            var conditional = JSONNode.emptyObject
            for name in using[key] ?? [] {
                conditional.setMember(name, ["value": .string("\(value) \(name)")])
            }
            if using[key] != nil { parameter.setMember("conditionalValues", conditional) }
            parameters.setMember(key, parameter)
        }
        return try ValidatedTemplate(
            json: [
                "conditions": .array(
                    conditions.map { text in
                        let name = String(text.prefix(1))
                        let system = text.hasSuffix("!") ? "android" : "ios"
                        return [
                            "name": .string(name),
                            "expression": .string("device.os == '\(system)'"),
                        ]
                    }), "parameters": parameters,
            ]
        ).template
    }

    private static func merged(_ review: ChangeReview) -> RemoteConfigTemplate? {
        guard case .merged(let template) = review.outcome else { return nil }
        return template
    }

    @Test func anEditOfTheCurrentVersionIsUpToDate() throws {
        let base = try Self.template(["a": "1"])
        let review = ChangeReview(base: base, edited: try Self.template(["a": "2"]), live: base)
        guard case .upToDate = review.outcome else {
            Issue.record("\(review.outcome)")
            return
        }
    }

    /// Conflicts in a response are limited in size: first their values go, then their paths.
    @Test func listedConflictsAreLimitedInSize() throws {
        let long = String(repeating: "x", count: 1_000)
        let base = try Self.template(["a": "1", "b": "1", "c": "1"])
        let edited = try Self.template(["a": "2\(long)", "b": "2", "c": "2"])
        let live = try Self.template(["a": "3", "b": "3\(long)", "c": "3"])
        guard
            case .conflict(let conflicts) = ChangeReview(
                base: base, edited: edited, live: live
            ).outcome
        else {
            Issue.record("There is no conflict.")
            return
        }
        #expect(conflicts.count == 3)
        for bytes in 0...6_000 {
            let listed = TemplateMerge.Conflict.json(of: conflicts, maximumBytes: bytes)
            #expect(JSONNode.array(listed).jsonData().count <= max(bytes, 2))
            #expect(bytes < 5_000 || listed == conflicts.map(\.json))
            for (node, conflict) in zip(listed, conflicts) {
                #expect(node["path"]?.stringValue == conflict.path)
                #expect((node["isComplete"] == .bool(false)) == (node != conflict.json))
            }
        }
    }

    @Test func anEditOfAConditionIsTouchedByItsNewUse() throws {
        let base = try Self.template(conditions: ["x", "y"], ["a": "1", "b": "1"])
        let edited = try Self.template(conditions: ["x!", "y"], ["a": "1", "b": "1"])
        let review = ChangeReview(base: base, edited: edited, live: base)
        for (name, isTouched) in [("x", true), ("y", false)] {
            let live = try Self.template(
                conditions: ["x", "y"], ["a": "1", "b": "1"], using: ["b": [name]])
            #expect(review.isTouched(byChangeFrom: base, to: live) == isTouched)
        }
    }

    // T11
    @Test func changesOfDifferentSettingsAreMerged() throws {
        let base = try Self.template(["a": "1", "b": "1"])
        let live = try Self.template(["a": "1", "b": "2"])
        let review = ChangeReview(
            base: base, edited: try Self.template(["a": "2", "b": "1"]), live: live)
        let merged = try #require(Self.merged(review))
        #expect(merged.parameters["a"]?.defaultValue == .value("2"))
        #expect(merged.parameters["b"]?.defaultValue == .value("2"))
        #expect(!review.isTouched(byChangeFrom: base, to: live))
    }

    // T12
    @Test(
        arguments: [
            (["x!", "y"], true), (["y", "x"], true), (["x", "y!"], false), (["x"], false),
            (["x", "y", "z"], false), (["z", "x", "y"], false), (["x", "y"], false),
        ])
    func aChangeOfAUsedConditionTouchesTheEdit(conditions: [String], isTouched: Bool) throws {
        let base = try Self.template(conditions: ["x", "y"], ["a": "1"], using: ["a": ["x"]])
        let edited = try Self.template(conditions: ["x", "y"], ["a": "2"], using: ["a": ["x"]])
        let live = try Self.template(conditions: conditions, ["a": "1"], using: ["a": ["x"]])
        let review = ChangeReview(base: base, edited: edited, live: live)
        #expect(review.isTouched(byChangeFrom: base, to: live) == isTouched)
    }

    @Test func aChangeOfTheSameSettingTouchesTheEdit() throws {
        let base = try Self.template(["a": "1", "b": "1"])
        let live = try Self.template(["a": "3", "b": "1"])
        let review = ChangeReview(
            base: base, edited: try Self.template(["a": "2", "b": "1"]), live: live)
        #expect(review.isTouched(byChangeFrom: base, to: live))
        // T14
        guard case .conflict(let conflicts) = review.outcome else {
            Issue.record("\(review.outcome)")
            return
        }
        #expect(conflicts.map(\.path) == ["parameters.a.defaultValue"])
    }

    // T13
    @Test func aMoveOfAConditionKeepsAPublishedValue() throws {
        let base = try Self.template(conditions: ["x", "y"], ["a": "1"], using: ["a": ["x", "y"]])
        let moved = try Self.template(
            conditions: ["y", "x"], ["a": "1"], using: ["a": ["x", "y"]])
        let live = try Self.template(conditions: ["x", "y"], ["a": "2"], using: ["a": ["x", "y"]])
        let review = ChangeReview(base: base, edited: moved, live: live)
        let merged = try #require(Self.merged(review))
        #expect(merged.conditions.map(\.name) == ["y", "x"])
        #expect(merged.parameters["a"]?.defaultValue == .value("2"))
    }

    // T16
    @Test func aDeletedConditionIsNotBroughtBackUnasked() throws {
        let base = try Self.template(conditions: ["x"], ["a": "1", "b": "1"])
        let edited = try Self.template(
            conditions: ["x"], ["a": "1", "b": "1"], using: ["a": ["x"]])
        let live = try Self.template(["a": "1", "b": "1"])
        let review = ChangeReview(base: base, edited: edited, live: live)
        #expect(Self.merged(review) == nil)
        #expect(review.isTouched(byChangeFrom: base, to: live))
    }
}
