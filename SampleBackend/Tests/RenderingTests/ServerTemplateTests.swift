import ActiveConfig
import Foundation
import JSONTree
import Rendering
import Targeting
import Templates
import Testing

/// Server templates render as with Firebase's own evaluator.
@Suite struct ServerTemplateTests {
    private static var rows: [JSONNode] {
        get throws {
            let url = try #require(
                Bundle.module.url(forResource: "Fixtures/server-templates", withExtension: "json"))
            return try #require(try JSONNode(jsonData: Data(contentsOf: url)).arrayValue)
        }
    }

    @Test func serverTemplatesRenderAsFirebaseEvaluates() throws {
        let rows = try Self.rows
        #expect(rows.count == 7)
        for row in rows {
            let note = row["note"]?.stringValue ?? ""
            var template = JSONNode.emptyObject
            template.setMember("conditions", row["conditions"])
            template.setMember("parameters", row["parameters"])
            if note.contains("not in conditions") {
                // Publishing such a template is refused, while Firebase's evaluator ignores the
                // error.
                let error = #expect(throws: TemplateValidationError.self) {
                    try ValidatedTemplate(json: template)
                }
                #expect(
                    error?.problems.map(\.path) == ["parameters.p.conditionalValues.ghost"])
                var parameter = try #require(row["parameters"]?["p"])
                parameter.removeMember("conditionalValues")
                template.setMember("parameters", ["p": parameter])
            }
            let project = PublishedProject(
                CompiledTemplate(
                    try ValidatedTemplate(json: template),
                    version: TemplateVersion(number: 1, updateTime: .distantPast)))
            let state = project.state(
                for: TargetingContext(userID: "1", date: .distantPast))
            var values: [String: [String: String]] = [:]
            for (key, value) in row["inAppDefaults"]?.objectValue ?? [:] {
                values[key] = ["value": value.stringValue ?? "", "source": "default"]
            }
            let section = state.section(named: RemoteConfigTemplate.defaultSectionName)
            for key in section?.settingKeys ?? [] {
                values[key] = ["value": section?.string(forKey: key) ?? "", "source": "remote"]
            }
            var expected: [String: [String: String]] = [:]
            for (key, value) in row["expected"]?.objectValue ?? [:] {
                expected[key] = (value.objectValue ?? [:]).reduce(into: [:]) {
                    $0[$1.key] = $1.value.stringValue
                }
            }
            #expect(values == expected, "\(note)")
        }
    }
}
