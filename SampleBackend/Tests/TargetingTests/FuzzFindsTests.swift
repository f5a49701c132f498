import Foundation
import Testing

/// Inputs that once broke a property, and some that did not.
struct FuzzFindsTests {
    /// The inputs of a fuzzer.
    private func finds(_ name: String) throws -> [(name: String, input: [UInt8])] {
        let folder = try #require(
            Bundle.module.url(
                forResource: name, withExtension: nil, subdirectory: "Fixtures/FuzzFinds"))
        return try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil
        ).map { ($0.lastPathComponent, Array(try Data(contentsOf: $0))) }
    }

    @Test func conditionsKeepTheirProperties() throws {
        let finds = try finds("conditions")
        #expect(!finds.isEmpty)
        for find in finds {
            let violation = ConditionProperties.violation(find.input)
            #expect(violation == nil, "\(find.name)")
        }
    }
}
