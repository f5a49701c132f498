import Foundation
import Testing

/// Files in the test bundle's folder `Fixtures`.
enum Fixture {
    static func data(_ name: String) throws -> Data {
        try Data(contentsOf: folder.appending(path: name))
    }

    /// Sorted names of the files in a folder.
    static func names(in name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            atPath: folder.appending(path: name).path(percentEncoded: false)
        ).sorted()
    }

    private static var folder: URL { Bundle.module.bundleURL.appending(path: "Fixtures") }
}
