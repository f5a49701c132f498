import Foundation
import Templates
import Testing

struct TemplateLimitsTests {
    /// Limit, with a template that grows with a number up to it and beyond it.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let limit: Int
        /// Path of the problem beyond the limit.
        let path: String
        /// JSON of the template for a number.
        let json: @Sendable (Int) -> String
    }

    @Test(arguments: rows)
    func theCheckAcceptsTheLimitAndNoMore(row: Row) {
        #expect(problems(of: row.json(row.limit)).isEmpty)
        let found = problems(of: row.json(row.limit + 1))
        #expect(found.count == 1)
        #expect(found.first?.path == row.path)
        #expect(
            found.first?.message.contains("at most \(row.limit)") == true,
            "\(found.first?.message ?? "")")
        #expect(problems(of: row.json(row.limit + 1), limits: .none).isEmpty)
    }

    @Test func theCheckCountsParametersAndValuesInAndOutsideOfGroups() {
        var limits = TemplateLimits()
        limits.maximumParameters = 2
        limits.maximumValueCharacters = 5
        let json = #"""
            {"conditions": [{"name": "c", "expression": "true"}],
             "parameters": {"a": {"defaultValue": {"value": "12"},
               "conditionalValues": {"c": {"value": "3"}}}},
             "parameterGroups": {"A": {"parameters": {"a": {"defaultValue": {"value": "45"}}}}}}
            """#
        #expect(problems(of: json, limits: limits).isEmpty)
        limits.maximumParameters = 1
        limits.maximumValueCharacters = 4
        #expect(
            problems(of: json, limits: limits).map(\.message) == [
                "it has 2 parameters; publish at most 1",
                "its values have 5 characters; use at most 4",
            ])
    }

    @Test(arguments: [
        (256, #"{"parameterGroups": {"NAME": {}}}"#),
        (256, #"{"conditions": [{"name": "NAME", "expression": "true"}]}"#),
        (256, #"{"parameters": {"a": {"description": "NAME"}}}"#),
        (256, #"{"parameterGroups": {"A": {"description": "NAME"}}}"#),
        (1_024, #"{"parameters": {}, "version": {"description": "NAME"}}"#),
        (1_000_000, #"{"parameters": {"a": {"defaultValue": {"value": "NAME"}}}}"#),
    ])
    func theCheckCountsScalarsNotWhatLooksLikeACharacter(limit: Int, json: String) {
        func template(_ count: Int) -> String {
            let name = "e" + String(repeating: "\u{301}", count: count - 1)
            return json.replacing("NAME", with: name)
        }
        #expect(problems(of: template(limit)).isEmpty)
        let found = problems(of: template(limit + 1))
        #expect(found.count == 1)
        #expect(found.first?.message.contains("\(limit + 1) characters") == true)
        #expect(found.first?.description.unicodeScalars.count ?? .max < 1_000)
    }

    @Test func theCheckCountsTheScalarsOfPinnedNames() throws {
        func overrides(_ count: Int) throws -> OverridesDocument {
            let name = "e" + String(repeating: "\u{301}", count: count - 1)
            return try OverridesDocument(jsonData: Data(#"{"\#(name)": {"\#(name)": 1}}"#.utf8))
        }
        #expect(throws: Never.self) { try overrides(256) }
        let error = #expect(throws: TemplateValidationError.self) { try overrides(257) }
        #expect(error?.problems.count == 2)
    }

    @Test func theCheckBoundsTheDepthOfAJSONValue() {
        /// Template with nested arrays in a value.
        func nested(_ depth: Int) -> String {
            let value =
                String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            return
                #"{"parameters": {"a": {"valueType": "JSON", "defaultValue": {"value": "\#(value)"}}}}"#
        }
        #expect(problems(of: nested(TemplateLimits.maximumValueDepth)).isEmpty)
        #expect(
            problems(of: nested(TemplateLimits.maximumValueDepth + 1)).map(\.path)
                == ["parameters.a.defaultValue"])
    }

    /// Object with `count` members, each made from its number.
    private static func members(_ count: Int, _ member: (Int) -> String) -> String {
        "{" + (0..<count).map(member).joined(separator: ",") + "}"
    }

    static let rows: [Row] = [
        Row(testDescription: "parameters", limit: 3_000, path: "") { count in
            #"{"parameters": \#(members(count) { #""k\#($0)": {}"# })}"#
        },
        Row(testDescription: "conditions", limit: 2_000, path: "conditions") { count in
            let conditions = (0..<count).map { #"{"name": "c\#($0)", "expression": "true"}"# }
            return #"{"conditions": [\#(conditions.joined(separator: ","))]}"#
        },
        Row(testDescription: "groups", limit: 1_000, path: "parameterGroups") { count in
            #"{"parameterGroups": \#(members(count) { #""g\#($0)": {}"# })}"#
        },
        Row(testDescription: "characters of values", limit: 1_000_000, path: "") { count in
            let text = String(repeating: "ü", count: count)
            return #"{"parameters": {"a": {"defaultValue": {"value": "\#(text)"}}}}"#
        },
        Row(
            testDescription: "key", limit: 256,
            path: #"parameters["\#(String(repeating: "k", count: 256))…"]"#
        ) { count in
            #"{"parameters": {"\#(String(repeating: "k", count: count))": {}}}"#
        },
        Row(
            testDescription: "group's name", limit: 256,
            path: #"parameterGroups["\#(String(repeating: "é", count: 256))…"]"#
        ) { count in
            #"{"parameterGroups": {"\#(String(repeating: "é", count: count))": {}}}"#
        },
        Row(testDescription: "condition's name", limit: 256, path: "conditions[0].name") { count in
            let name = String(repeating: "!", count: count)
            return #"{"conditions": [{"name": "\#(name)", "expression": "true"}]}"#
        },
        Row(
            testDescription: "parameter's description", limit: 256,
            path: "parameters.a.description"
        ) { count in
            #"{"parameters": {"a": {"description": "\#(String(repeating: "d", count: count))"}}}"#
        },
        Row(
            testDescription: "group's description", limit: 256,
            path: "parameterGroups.A.description"
        ) { count in
            #"{"parameterGroups": {"A": {"description": "\#(String(repeating: "d", count: count))"}}}"#
        },
        Row(
            testDescription: "version's description", limit: 1_024, path: "version.description"
        ) { count in
            #"{"parameters": {}, "version": {"description": "\#(String(repeating: "d", count: count))"}}"#
        },
    ]
}
