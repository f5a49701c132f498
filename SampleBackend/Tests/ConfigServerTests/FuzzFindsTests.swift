import Foundation
import Testing

/// Seeds of the request fuzzer, and inputs that once violated a property.
struct FuzzFindsTests {
    @Test func requestsKeepTheirProperties() throws {
        let folder = try #require(
            Bundle.module.url(
                forResource: "requests", withExtension: nil, subdirectory: "Fixtures/FuzzFinds"))
        let finds = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        #expect(!finds.isEmpty)
        for find in finds {
            let violation = RequestProperties.violation(Array(try Data(contentsOf: find)))
            #expect(violation == nil, "\(find.lastPathComponent)")
        }
    }
}
