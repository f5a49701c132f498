import JSONTree
import Templates
import Testing

struct TemplateDiffTests {
    private static let old = #"""
        {"conditions": [
           {"name": "a", "expression": "true"}, {"name": "b", "expression": "false"},
           {"name": "gone", "expression": "true"}, {"name": "c", "expression": "true"}],
         "parameters": {"flag": {"defaultValue": {"value": "true"}}},
         "parameterGroups": {"Home": {"description": "one", "parameters": {
           "title": {"defaultValue": {"value": "x"}, "description": "d",
             "conditionalValues": {"a": {"value": "1"}, "gone": {"value": "2"}, "c": {"value": "3"}}},
           "same": {"defaultValue": {"value": "s"}}, "old": {}}}}}
        """#

    private static let new = #"""
        {"conditions": [
           {"name": "c", "expression": "true"}, {"name": "a", "expression": "false", "tagColor": "PINK"},
           {"name": "b", "expression": "false"}, {"name": "new", "expression": "true"}],
         "parameters": {"flag": {"defaultValue": {"value": "true"}, "valueType": "BOOLEAN"}},
         "parameterGroups": {"Home": {"description": "two", "parameters": {
           "same": {"defaultValue": {"value": "s"}},
           "title": {"defaultValue": {"useInAppDefault": true}, "valueType": "STRING",
             "conditionalValues": {"a": {"value": "1"}, "c": {"value": "4"}, "b": {"value": "5"}}},
           "added": {"defaultValue": {"value": "n"}, "masterKeyOnly": true}}}, "Void": {}}}
        """#

    private func diff() throws -> TemplateDiff {
        TemplateDiff(from: try .make(Self.old), to: try .make(Self.new))
    }

    @Test(arguments: [("\u{E9}", "e\u{301}"), ("K", "\u{212A}")])
    func aGroupThatIsRenamedToAnotherSpellingIsRemovedAndAdded(from: String, to: String) throws {
        func template(_ name: String) throws -> RemoteConfigTemplate {
            try .make(
                "{\"parameterGroups\":{\"\(name)\":{\"parameters\":{\"k\":{\"defaultValue\":"
                    + "{\"value\":\"x\"}}}}}}")
        }
        let diff = TemplateDiff(from: try template(from), to: try template(to))
        let removed = diff.groups.first { $0.change == .removed }
        #expect(removed?.name.hasSameBytes(as: from) == true)
        let added = diff.parameters.first { $0.change == .added }
        #expect(added?.section.hasSameBytes(as: to) == true)
        let sections = TemplateDiff.changedSections(from: try template(from), to: try template(to))
        #expect(sections.exactNames == [ExactText(from), ExactText(to)])
    }

    @Test func aDiffNamesThePartsOfAParameterThatDiffer() throws {
        let diff = try diff()
        #expect(
            diff.parameters.map { "\($0.section).\($0.key) \($0.change.rawValue)" } == [
                "Default.flag CHANGED", "Home.added ADDED", "Home.old REMOVED",
                "Home.title CHANGED",
            ])
        let title = try #require(diff.parameters.last)
        #expect(
            title.parts.map(\.name)
                == [
                    "defaultValue", "conditionalValues.c", "conditionalValues.b",
                    "conditionalValues.a", "conditionalValues.gone", "description",
                ].filter { $0 != "conditionalValues.a" })
        #expect(title.parts[0].old == ["value": "x"])
        #expect(title.parts[0].new == ["useInAppDefault": true])
        #expect(title.parts[2].old == nil)
        #expect(title.parts[3].new == nil)
        #expect(diff.parameters[0].parts.map(\.old) == ["STRING"])
    }

    @Test func aDiffNamesTheConditionsAndGroupsThatDiffer() throws {
        let diff = try diff()
        #expect(
            diff.conditions.map { "\($0.name) \($0.change.rawValue)" }
                == ["c CHANGED", "a CHANGED", "new ADDED", "gone REMOVED"])
        #expect(diff.conditions[0].parts.map(\.name) == ["position"])
        #expect(diff.conditions[0].parts[0].old == .number("3"))
        #expect(diff.conditions[0].parts[0].new == .number("1"))
        #expect(diff.conditions[1].parts.map(\.name) == ["expression", "tagColor"])
        #expect(
            diff.groups.map { "\($0.name) \($0.change.rawValue)" }
                == ["Home CHANGED", "Void ADDED"])
        #expect(diff.groups[0].parts.map(\.old) == ["one"])
        #expect(!diff.isEmpty)
    }

    @Test func aDiffIsWrittenAsJSON() throws {
        let json = try diff().json
        #expect(json["conditions"]?.arrayValue?.count == 4)
        #expect(
            json["parameters"]?.arrayValue?.first == [
                "section": "Default", "key": "flag", "change": "CHANGED",
                "parts": [["name": "valueType", "old": "STRING", "new": "BOOLEAN"]],
            ])
        #expect(
            json["groups"]?.arrayValue?.last == ["name": "Void", "change": "ADDED", "parts": []])
    }

    @Test func aDiffIsWrittenAsLines() throws {
        let lines = try diff().lines
        #expect(lines.first?.text == "~ condition c")
        #expect(lines.first?.kind == .heading(.changed))
        let texts = lines.map(\.text)
        #expect(texts.contains("- condition gone"))
        #expect(texts.contains("~ group Home"))
        #expect(texts.contains("+ Home.added"))
        #expect(texts.contains(#"    - defaultValue: "x""#))
        #expect(texts.contains(#"    + defaultValue: {"useInAppDefault":true}"#))
        #expect(texts.contains(#"    + conditionalValues.b: "5""#))
        #expect(lines.first { $0.text.contains("\"5\"") }?.kind == .new)
        #expect(lines.first { $0.text.contains("\"x\"") }?.kind == .old)
    }

    @Test func aDiffTakesTheFewestMovesThatExplainAnOrder() throws {
        /// Template with conditions of the given numbers.
        func template(_ names: [Int]) -> RemoteConfigTemplate {
            RemoteConfigTemplate(
                conditions: names.map { TemplateCondition(name: "c\($0)", expression: "true") })
        }
        let many = Array(0..<1_000)
        let last = TemplateDiff(from: template(many), to: template(Array(many.dropFirst()) + [0]))
        #expect(last.conditions.map(\.name) == ["c0"])
        let first = TemplateDiff(from: template(many), to: template([999] + many.dropLast()))
        #expect(first.conditions.map(\.name) == ["c999"])
        let reversed = TemplateDiff(from: template(many), to: template(many.reversed()))
        #expect(reversed.conditions.count == 999)
    }

    @Test func aDiffIsEmptyBetweenATemplateAndItself() throws {
        for fixture in [Fixture.clientTemplate, .serverTemplate] {
            let template = try ValidatedTemplate(json: fixture.json).template
            #expect(TemplateDiff(from: template, to: template).isEmpty)
        }
        var generator = TemplateGenerator(seed: 11)
        for _ in 0..<50 {
            let template = generator.template()
            #expect(TemplateDiff(from: template, to: template).isEmpty)
        }
    }

    @Test func aDiffSeesEachChangeInEitherDirection() {
        var generator = TemplateGenerator(seed: 12)
        for _ in 0..<200 {
            let old = generator.template()
            let new = generator.variant(of: old)
            let forth = TemplateDiff(from: old, to: new)
            let back = TemplateDiff(from: new, to: old)
            #expect(forth.isEmpty == back.isEmpty)
            #expect(forth.isEmpty == (old == new))
            #expect(forth.parameters.map(\.key) == back.parameters.map(\.key))
            #expect(
                Set(forth.conditions.filter { $0.change == .removed }.map(\.name))
                    == Set(back.conditions.filter { $0.change == .added }.map(\.name)))
        }
    }
}
