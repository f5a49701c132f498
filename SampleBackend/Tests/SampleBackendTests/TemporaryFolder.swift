import Foundation

/// A type that is an empty folder for one test; it is removed with its content at the end.
final class TemporaryFolder: Sendable {
    /// The folder.
    let url: URL

    /// Makes the folder.
    init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("SampleBackendTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// Removes the folder.
    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// The path of a file in the folder.
    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Writes a text to a file.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - name: The file's name.
    /// - Returns: The file's path.
    /// - Throws: What writing a file throws.
    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: url.appendingPathComponent(name))
        return path(name)
    }

    /// What `--store` needs for the database of the test.
    var store: String { "sqlite:" + path("test.sqlite") }
}
