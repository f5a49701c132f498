import Foundation
import PageBundling

/// A build tool that writes files into a Swift source file, as Base64.
///
/// The first argument is the source file; the others are folders. A folder with an `index.html` has
/// pages, which are bundled and also embedded compressed.
@main
enum FileEmbedder {
    static func main() throws {
        guard let output = CommandLine.arguments.dropFirst().first else {
            FileHandle.standardError.write(Data("usage: FileEmbedder OUTPUT [FOLDER …]\n".utf8))
            exit(64)
        }
        var files: [String: Data] = [:]
        var compressedFiles: [String: Data] = [:]
        do {
            for path in CommandLine.arguments.dropFirst(2) {
                var folder = try contents(of: URL(fileURLWithPath: path))
                if folder["index.html"] != nil {
                    folder = try PageBundle.files(of: folder)
                    try compressedFiles.merge(folder.compactMapValues(compressed)) { $1 }
                }
                files.merge(folder) { $1 }
            }
        } catch let error as PageBundleError {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(1)
        }
        let source = """
            import Foundation

            enum EmbeddedFiles {
                /// The contents by name.
                static let files = decoded(base64)

                /// The contents that are shorter with gzip, compressed, by name.
                static let compressedFiles = decoded(compressedBase64)

                private static func decoded(_ files: [String: String]) -> [String: Data] {
                    files.compactMapValues { Data(base64Encoded: $0) }
                }

                private static let base64: [String: String] = \(literal(files))

                private static let compressedBase64: [String: String] = \(literal(compressedFiles))
            }

            """
        // SwiftPM may run this without changes; keeping the file then avoids a recompilation.
        if (try? String(contentsOfFile: output, encoding: .utf8)) == source { return }
        try source.write(toFile: output, atomically: true, encoding: .utf8)
    }

    /// The files in a folder and its subfolders by relative path, without hidden ones.
    private static func contents(of folder: URL) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            // The console's sample links to the template that the server publishes.
            let file = folder.appending(path: path).resolvingSymlinksInPath()
            guard !path.split(separator: "/").contains(where: { $0.hasPrefix(".") }),
                try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
            else { continue }
            files[path] = try Data(contentsOf: file)
        }
        return files
    }

    /// The content as `gzip` compresses it; nil if that is not shorter.
    private static func compressed(_ content: Data) throws -> Data? {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try content.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", "-9", "-n", "-c", file.path]
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CocoaError(.fileWriteUnknown)
        }
        return data.count < content.count ? data : nil
    }

    /// A dictionary literal with Base64 texts.
    private static func literal(_ files: [String: Data]) -> String {
        let lines = files.sorted { $0.key < $1.key }.map { name, content in
            "        \"\(name)\": \"\(content.base64EncodedString())\","
        }
        return "[\n\(lines.isEmpty ? "        :" : lines.joined(separator: "\n"))\n    ]"
    }
}
