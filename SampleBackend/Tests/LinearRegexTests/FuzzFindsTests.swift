import Foundation
import Testing

/// Fuzzer finds that once violated a property, and seeds.
struct FuzzFindsTests {
    /// Inputs in the fixtures folder of one fuzzer, with their names.
    private func finds(_ name: String) throws -> [(name: String, input: [UInt8])] {
        let folder = try #require(
            Bundle.module.url(
                forResource: name, withExtension: nil, subdirectory: "Fixtures/FuzzFinds"))
        return try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil
        ).map { ($0.lastPathComponent, Array(try Data(contentsOf: $0))) }
    }

    @Test func patternsKeepTheirProperties() throws {
        let finds = try finds("patterns")
        #expect(!finds.isEmpty)
        for find in finds {
            let violation = PatternProperties.violation(find.input)
            #expect(violation == nil, "\(find.name)")
        }
    }
}
