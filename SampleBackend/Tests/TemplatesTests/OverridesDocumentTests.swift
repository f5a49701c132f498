import ActiveConfig
import Foundation
import JSONTree
import Templates
import Testing

struct OverridesDocumentTests {
    private func document(_ json: String) throws -> OverridesDocument {
        try OverridesDocument(jsonData: Data(json.utf8))
    }

    /// Problems of a document; empty if it is valid.
    private func problems(of json: String) -> [TemplateProblem] {
        do throws(TemplateValidationError) {
            _ = try OverridesDocument(jsonData: Data(json.utf8))
            return []
        } catch {
            return error.problems
        }
    }

    @Test func theReaderReadsAndWritesAnyJSONValue() throws {
        let text =
            #"{"Home":{"count":3,"list":[1.5,{"a":null}],"on":true,"title":"x"},"Void":{}}"#
        let overrides = try document(text)
        #expect(
            overrides.sections == [
                "Home": [
                    "title": "x", "count": 3, "on": true,
                    "list": [.number("1.5"), ["a": .null]],
                ],
                "Void": [:],
            ])
        #expect(overrides.json.description == text)
        #expect(try document("{}").sections.isEmpty)
    }

    @Test(arguments: [
        ("[]", ""), (#"{"Home": 3}"#, "Home"), (#"{"My Home": null}"#, #"["My Home"]"#),
        (#"{"Home": {"a": 1"#, "Home.a"),
    ])
    func theReaderRefusesWhatIsNoObjectOfObjects(json: String, path: String) {
        #expect(problems(of: json).map(\.path) == [path])
    }

    @Test func theReaderRefusesNamesOverTheLimit() {
        let name = String(repeating: "n", count: 256)
        #expect(problems(of: #"{"\#(name)": {"\#(name)": 1}}"#).isEmpty)
        let found = problems(of: #"{"\#(name)n": {"\#(name)n": 1}}"#)
        #expect(found.count == 2)
        #expect(found.allSatisfy { $0.message.contains("257 characters") })
    }

    @Test func theReaderRefusesATextOverTheLimit() {
        let rest = OverridesDocument.maximumBytes - #"{"A":{"b":""}}"#.utf8.count
        let text = String(repeating: "x", count: rest)
        #expect(problems(of: #"{"A":{"b":"\#(text)"}}"#).isEmpty)
        #expect(
            problems(of: #"{"A":{"b":"\#(text)x"}}"#).map(\.message)
                == ["the pinned values have 65537 bytes; use at most 65536"])
    }

    /// 1e15 is stored as 1000000000000000.0.
    @Test func theReaderRefusesWhatIsTooLargeInTheFormThatIsStored() {
        func text(_ count: Int) -> String {
            #"{"A":{"b":[\#(Array(repeating: "1e15", count: count).joined(separator: ","))]}}"#
        }
        #expect(problems(of: text(3_400)).isEmpty)
        #expect(
            problems(of: text(4_000)).map(\.message)
                == ["the pinned values have 76013 bytes; use at most 65536"])
    }

    @Test func theReaderRefusesValuesThatNoDocumentCanHold() {
        /// Document with nested arrays.
        func nested(_ depth: Int) -> String {
            let value =
                String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            return #"{"A":{"b":\#(value)}}"#
        }
        #expect(problems(of: nested(TemplateLimits.maximumValueDepth)).isEmpty)
        #expect(problems(of: nested(TemplateLimits.maximumValueDepth + 1)).count == 1)
    }

    static let pins: [(json: String, problem: String?)] = [
        (#"{"Home": {"title": "x", "on": true, "size": 2, "list": [1]}}"#, nil),
        (#"{"Home": {"list": "x"}}"#, nil), (#"{"Home": {"plain": "x"}}"#, nil), ("{}", nil),
        (#"{"Home": {"title": 3}}"#, "Home.title: it is a number, but the setting is a string"),
        (#"{"Home": {"on": "true"}}"#, "Home.on: it is a string, but the setting is a boolean"),
        (#"{"Home": {"size": "2"}}"#, "Home.size: it is a string, but the setting is a number"),
        (#"{"Home": {"plain": null}}"#, "Home.plain: it is null, but the setting is a string"),
        (
            #"{"Home": {"titel": "x"}}"#,
            "Home.titel: there is no setting of this name; pin settings that exist"
        ),
        (
            #"{"home": {"title": "x"}}"#,
            "home: there is no section of this name; pin settings that exist"
        ),
    ]

    @Test(arguments: pins)
    func aPinForATemplateIsCheckedByNameAndType(json: String, problem: String?) throws {
        let template = try RemoteConfigTemplate.make(
            #"""
            {"parameterGroups": {"Home": {"parameters": {
             "title": {"valueType": "STRING"}, "on": {"valueType": "BOOLEAN"},
             "size": {"valueType": "NUMBER"}, "list": {"valueType": "JSON"}, "plain": {}}}}}
            """#)
        let problems = try document(json).problems(in: template)
        #expect(problems.map { "\($0.path): \($0.message)" } == [problem].compactMap { $0 })
    }
}
