import Foundation

/// Folder for one test, removed when the object is released.
final class TemporaryFolder: Sendable {
    /// Does not exist until the test creates it.
    let url: URL

    init() {
        url = FileManager.default.temporaryDirectory.appending(
            path: "ActiveConfigTests-\(UUID().uuidString)")
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Sorted names of the files in the folder.
    var fileNames: [String] {
        let path = url.path(percentEncoded: false)
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    func file(_ name: String) -> URL { url.appending(path: name) }

    /// Permissions of the folder, or of a file in it.
    func permissions(of name: String = "") throws -> Int? {
        let path = (name.isEmpty ? url : file(name)).path(percentEncoded: false)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
}
