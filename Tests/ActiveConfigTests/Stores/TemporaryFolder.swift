import Foundation

/// A folder of one test's own, which goes with it.
final class TemporaryFolder: Sendable {
    /// The folder.
    ///
    /// It does not exist until somebody makes it.
    let url: URL

    init() {
        url = FileManager.default.temporaryDirectory.appending(
            path: "ActiveConfigTests-\(UUID().uuidString)")
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// The names of the files in it, sorted.
    var fileNames: [String] {
        let path = url.path(percentEncoded: false)
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    /// A file in it.
    func file(_ name: String) -> URL { url.appending(path: name) }

    /// The permissions of the folder, or of a file in it.
    func permissions(of name: String = "") throws -> Int? {
        let path = (name.isEmpty ? url : file(name)).path(percentEncoded: false)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
}
