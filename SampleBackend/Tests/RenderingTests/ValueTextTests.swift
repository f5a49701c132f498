import Foundation
import JSONTree
import NIOCore
import Rendering
import Targeting
import Templates
import Testing

/// The document value for the text of a value; the console's tests read the same fixture.
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
            let context = TargetingContext(userID: "7", date: .distantPast)
            let document = String(buffer: project.rendered(for: context).document.jsonBytes)
            let start = #"{"config_sections":{"Default":{"settings":{"p":{"value":"#
            #expect(document.hasPrefix(start + value + "}}}}"), "\(row)")
            let reason = project.reasons(for: context).reason(forKey: "p", inSection: "Default")
            #expect(reason?.value?.description == value, "\(row)")
        }
    }
}
