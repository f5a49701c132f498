import ActiveConfig
import Foundation
import JSONTree
import Rendering
import Targeting
import Templates
import Testing

/// What the text of a value becomes in a document; the console's tests read the same fixture.
@Suite struct ValueTextTests {
    @Test func aTextBecomesAValueOfItsType() throws {
        let url = try #require(
            Bundle.module.url(forResource: "Fixtures/value-texts", withExtension: "json"))
        let rows = try #require(try JSONNode(jsonData: Data(contentsOf: url)).arrayValue)
        try #require(!rows.isEmpty)
        for row in rows {
            let text = try #require(row["text"])
            let type = try #require(row["type"])
            let value = try #require(row["value"]?.stringValue)
            let template: JSONNode = [
                "parameters": ["p": ["defaultValue": ["value": text], "valueType": type]]
            ]
            let project = PublishedProject(
                CompiledTemplate(
                    try ValidatedTemplate(json: template),
                    version: TemplateVersion(number: 1, updateTime: .distantPast)))
            let state = project.state(for: TargetingContext(userID: "7", date: .distantPast))
            let section = state.section(named: RemoteConfigTemplate.defaultSectionName)
            #expect(
                section?.value(forKey: "p") == (try SettingValue(jsonData: Data(value.utf8))),
                "\(row)")
        }
    }
}
