import Foundation
import JSONTree
import Rendering
import Targeting
import Templates
import Testing

/// The users that changed values of a template reach.
struct TemplateReachTests {
    private static func template(_ text: String) throws -> CompiledTemplate {
        CompiledTemplate(
            try ValidatedTemplate(jsonData: Data(text.utf8)),
            version: TemplateVersion(number: 1, updateTime: Date(timeIntervalSince1970: 0)))
    }

    /// Conditions `all` and `ios` in an order, and a setting with a value for each name.
    private static func template(
        _ conditions: [(String, String)], values: [String: String], defaultValue: String = "d"
    ) throws -> CompiledTemplate {
        let list = conditions.map { #"{"name": "\#($0.0)", "expression": "\#($0.1)"}"# }
        let pairs = values.sorted { $0.key < $1.key }
            .map { #""\#($0.key)": {"value": "\#($0.value)"}"# }
        return try template(
            #"{"conditions": [\#(list.joined(separator: ","))], "parameters": {"title": "#
                + #"{"defaultValue": {"value": "\#(defaultValue)"}, "conditionalValues": {"#
                + pairs.joined(separator: ",") + "}}}}")
    }

    private static let users = ["ios", "ios", "android", nil].map { system in
        TargetingContext(
            userID: "1", signals: Signals(deviceOS: system), date: Date(timeIntervalSince1970: 0))
    }

    private static func reach(
        from old: CompiledTemplate?, to new: CompiledTemplate
    ) -> TemplateReach {
        var reach = TemplateReach(from: old?.template, to: new)
        for user in users { reach.count(new.conditions.evaluate(user)) }
        return reach
    }

    private static let known = ("known", "device.os in ['ios', 'android']")
    private static let ios = ("ios", "device.os == 'ios'")

    @Test func aConditionAboveTakesTheUsersOfAnother() throws {
        let old = try Self.template([Self.known], values: ["known": "k"])
        let new = try Self.template([Self.known, Self.ios], values: ["known": "k", "ios": "i"])
        let value = try #require(Self.reach(from: old, to: new).values.first)
        #expect(value.condition == "ios")
        #expect(value.matching == 2)
        #expect(value.reached == 0)
        #expect(value.takenBy == ["known": 2])
        #expect(value.shadow == nil)
        let moved = try Self.template([Self.ios, Self.known], values: ["known": "k", "ios": "i"])
        let reached = Self.reach(from: old, to: moved).values
        #expect(reached.first?.reached == 2)
    }

    @Test func aDefaultValueReachesUsersWithoutATrueCondition() throws {
        let old = try Self.template([Self.ios], values: ["ios": "i"])
        let new = try Self.template([Self.ios], values: ["ios": "i"], defaultValue: "e")
        let reach = Self.reach(from: old, to: new)
        #expect(reach.count == 4)
        #expect(reach.values.map(\.condition) == [nil])
        #expect(reach.values.first?.matching == 4)
        #expect(reach.values.first?.reached == 2)
        #expect(reach.values.first?.takenBy == ["ios": 2])
    }

    @Test func aConditionWithTheSameTextAboveTakesEverybody() throws {
        let twin = ("twin", "device.os == 'ios'")
        let new = try Self.template([Self.ios, twin], values: ["ios": "i", "twin": "t"])
        let values = Self.reach(from: nil, to: new).values
        #expect(values.first { $0.condition == "twin" }?.shadow == "ios")
        #expect(values.first { $0.condition == "ios" }?.shadow == nil)
    }

    @Test func aChangedConditionConcernsItsValues() throws {
        let old = try Self.template([Self.ios], values: ["ios": "i"])
        let new = try Self.template([("ios", "device.os == 'android'")], values: ["ios": "i"])
        #expect(Self.reach(from: old, to: new).values.map(\.condition) == ["ios"])
        #expect(Self.reach(from: old, to: old).values.isEmpty)
    }

    @Test func aConditionThatIsAlwaysTrueAboveTakesEverybody() throws {
        let new = try Self.template(
            [("all", "true"), Self.ios], values: ["all": "a", "ios": "i"])
        let value = Self.reach(from: nil, to: new).values.first { $0.condition == "ios" }
        #expect(value?.shadow == "all")
        #expect(value?.takenBy == ["all": 2])
    }

    @Test func theConditionsThatAMovedOnePassesAreListed() throws {
        let values = ["a": "1", "b": "2", "c": "3", "d": "4", "e": "5"]
        func template(_ order: String...) throws -> CompiledTemplate {
            try Self.template(order.map { ($0, "device.os == '\($0)'") }, values: values)
        }
        func listed(_ order: CompiledTemplate) throws -> [String?] {
            Self.reach(from: try template("a", "b", "c", "d", "e"), to: order).values
                .map(\.condition)
        }
        // Moved down, and up.
        #expect(try listed(try template("a", "c", "d", "b", "e")) == ["c", "d", "b"])
        #expect(try listed(try template("a", "d", "b", "c", "e")) == ["d", "b", "c"])
        #expect(try listed(try template("a", "b", "c", "d", "e")) == [])
    }

    @Test func theNumberOfValuesIsBounded() throws {
        let parameters = (0..<600).map { #""p\#($0)": {"defaultValue": {"value": "x"}}"# }
        let new = try Self.template(
            #"{"parameters": {\#(parameters.joined(separator: ","))}}"#)
        let reach = Self.reach(from: nil, to: new)
        #expect(reach.values.count == TemplateReach.maximumValues)
        #expect(reach.isCut)
    }
}
