import Foundation

/// A folder of its own for a test.
final class TemporaryFolder: Sendable {
    /// The folder.
    let url: URL

    /// Makes the folder.
    init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("TemplateStoreTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// The path of a file in the folder.
    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Removes the folder with all that is in it.
    func remove() { try? FileManager.default.removeItem(at: url) }

    deinit { remove() }
}
