import JSONTree
import OrderedCollections
import Templates
import Testing

struct RemoteConfigTemplateSectionsTests {
    @Test func aTemplateBeginsWithTheParametersOutsideOfGroups() throws {
        let template = try RemoteConfigTemplate.make(
            #"""
            {"parameterGroups": {"Z": {"parameters": {"c": {}}}, "A": {"parameters": {}},
              "Default": {"parameters": {"b": {}}}},
             "parameters": {"a": {}}}
            """#)
        #expect(Array(template.sections.keys) == ["Default", "Z", "A"])
        #expect(template.sections["Default"].map { Array($0.keys) } == ["a", "b"])
        #expect(template.sections["A"]?.isEmpty == true)
    }

    @Test func aTemplateHasNoDefaultSectionWithoutParametersOutsideOfGroups() throws {
        let template = try RemoteConfigTemplate.make(#"{"parameterGroups": {"A": {}}}"#)
        #expect(Array(template.sections.keys) == ["A"])
        #expect(RemoteConfigTemplate().sections.isEmpty)
    }
}
