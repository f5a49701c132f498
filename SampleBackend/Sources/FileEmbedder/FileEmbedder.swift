import Foundation

/// A build tool that writes files into a Swift source file, as Base64.
///
/// The first argument is the source file; the others are the files to embed.
@main
enum FileEmbedder {
    static func main() throws {
        let paths = CommandLine.arguments.dropFirst()
        guard let output = paths.first else {
            FileHandle.standardError.write(Data("usage: FileEmbedder OUTPUT [FILE …]\n".utf8))
            exit(64)
        }
        let lines = try paths.dropFirst().map { path in
            let file = URL(fileURLWithPath: path)
            let text = try Data(contentsOf: file).base64EncodedString()
            return "        \"\(file.lastPathComponent)\": \"\(text)\","
        }
        let source = """
            import Foundation

            enum EmbeddedFiles {
                /// The contents by name.
                static let files = base64.compactMapValues { Data(base64Encoded: $0) }

                private static let base64: [String: String] = [
            \(lines.isEmpty ? "        :" : lines.joined(separator: "\n"))
                ]
            }

            """
        // SwiftPM may run this without changes; keeping the file then avoids a recompilation.
        if (try? String(contentsOfFile: output, encoding: .utf8)) == source { return }
        try source.write(toFile: output, atomically: true, encoding: .utf8)
    }
}
