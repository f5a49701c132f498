import Foundation
import Testing

/// Files that tests read.
enum Fixture {
    /// The content of a file.
    static func data(_ name: String) throws -> Data {
        try Data(contentsOf: folder.appending(path: name))
    }

    /// The names of the files in a folder, sorted.
    static func names(in name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            atPath: folder.appending(path: name).path(percentEncoded: false)
        ).sorted()
    }

    /// The folder of all.
    private static var folder: URL { Bundle.module.bundleURL.appending(path: "Fixtures") }
}
