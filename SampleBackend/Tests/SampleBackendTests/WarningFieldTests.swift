import Foundation
import JSONTree
import Testing

@testable import SampleBackend

/// The field `Warning`, which the console parses as well; its tests read the same fixture.
@Suite struct WarningFieldTests {
    @Test func theTextsOfAFieldAreRead() throws {
        let url = try #require(
            Bundle.module.url(
                forResource: "warning-fields", withExtension: "json", subdirectory: "Fixtures"))
        let rows = try #require(try JSONNode(jsonData: Data(contentsOf: url)).arrayValue)
        try #require(!rows.isEmpty)
        for row in rows {
            let field = try #require(row["field"]?.stringValue)
            let texts = try #require(row["texts"]?.arrayValue).compactMap(\.stringValue)
            #expect(WarningField.texts(field) == texts, "\(field)")
        }
    }
}
