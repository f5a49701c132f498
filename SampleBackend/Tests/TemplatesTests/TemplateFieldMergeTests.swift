import Templates
import Testing

struct TemplateFieldMergeTests {
    /// Three versions of one setting as JSON, with the merged one and the paths of the conflicts below
    /// it.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let base: String
        let mine: String
        let theirs: String
        let merged: String
        var conflicts: [String] = []
    }

    @Test(arguments: [
        Row(
            testDescription: "value and description",
            base: #"{"defaultValue":{"value":"a"}}"#,
            mine: #"{"defaultValue":{"value":"b"}}"#,
            theirs: #"{"defaultValue":{"value":"a"},"description":"d"}"#,
            merged: #"{"defaultValue":{"value":"b"},"description":"d"}"#),
        Row(
            testDescription: "values for different conditions",
            base: #"{"defaultValue":{"value":"a"},"conditionalValues":{"x":{"value":"1"}}}"#,
            mine: #"{"defaultValue":{"value":"a"},"conditionalValues":{"x":{"value":"2"}}}"#,
            theirs:
                #"{"defaultValue":{"value":"a"},"conditionalValues":{"x":{"value":"1"},"y":{"value":"3"}}}"#,
            merged:
                #"{"defaultValue":{"value":"a"},"conditionalValues":{"x":{"value":"2"},"y":{"value":"3"}}}"#
        ),
        Row(
            testDescription: "the same conditional value",
            base: #"{"conditionalValues":{"x":{"value":"1"}}}"#,
            mine: #"{"conditionalValues":{"x":{"value":"2"}},"description":"m"}"#,
            theirs: #"{"conditionalValues":{"x":{"value":"3"}},"other":1}"#,
            merged: #"{"conditionalValues":{"x":{"value":"3"}},"description":"m","other":1}"#,
            conflicts: [".conditionalValues.x"]),
        Row(
            testDescription: "owner, tags, permanence and archiving",
            base: #"{"defaultValue":{"value":"a"},"tags":["x"]}"#,
            mine: #"{"defaultValue":{"value":"b"},"tags":["x"],"owner":"Ada","permanent":"legal"}"#,
            theirs: #"{"defaultValue":{"value":"a"},"archived":true}"#,
            merged:
                #"{"defaultValue":{"value":"b"},"owner":"Ada","permanent":"legal","archived":true}"#
        ),
        Row(
            testDescription: "different owners and tags",
            base: #"{"owner":"Ada"}"#, mine: #"{"owner":"Bob","tags":["b"],"archived":true}"#,
            theirs: #"{"owner":"Cy","tags":["c"],"archived":true}"#,
            merged: #"{"owner":"Cy","tags":["c"],"archived":true}"#,
            conflicts: [".owner", ".tags"]),
        Row(
            testDescription: "a type with its value, and a description",
            base: #"{"defaultValue":{"value":"a"}}"#,
            mine: #"{"defaultValue":{"value":"1"},"valueType":"NUMBER"}"#,
            theirs: #"{"defaultValue":{"value":"a"},"description":"t"}"#,
            merged: #"{"defaultValue":{"value":"1"},"valueType":"NUMBER","description":"t"}"#),
        Row(
            testDescription: "a type, and a value of the old type",
            base: #"{"defaultValue":{"value":"a"}}"#,
            mine: #"{"defaultValue":{"value":"1"},"valueType":"NUMBER"}"#,
            theirs: #"{"defaultValue":{"value":"a"},"conditionalValues":{"x":{"value":"b"}}}"#,
            merged: #"{"defaultValue":{"value":"a"},"conditionalValues":{"x":{"value":"b"}}}"#,
            conflicts: [""]),
    ])
    func aMergeDecidesFieldByField(row: Row) throws {
        func template(_ parameter: String) throws -> RemoteConfigTemplate {
            try .make(
                #"""
                {"conditions": [{"name": "x", "expression": "true"},
                                {"name": "y", "expression": "true"}],
                 "parameters": {"title": \#(parameter)}}
                """#)
        }
        let merge = TemplateMerge(
            base: try template(row.base), mine: try template(row.mine),
            theirs: try template(row.theirs))
        #expect(merge.merged == (try template(row.merged)))
        #expect(merge.conflicts.map(\.path) == row.conflicts.map { "parameters.title\($0)" })
        for conflict in merge.conflicts {
            #expect(TemplateMerge.Units(merge.mine)[conflict.subject] == conflict.mine)
            #expect(TemplateMerge.Units(merge.theirs)[conflict.subject] == conflict.theirs)
            #expect(TemplateMerge.Units(merge.base)[conflict.subject] == conflict.base)
        }
    }
}
