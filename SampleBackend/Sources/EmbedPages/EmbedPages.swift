import Foundation

/// A program of the build that writes files into a Swift source file, as Base64.
///
/// Its first argument is the source file, the others are the files. A literal of bytes would take
/// the compiler many times as long as a string.
@main
enum EmbedPages {
    static func main() throws {
        let paths = CommandLine.arguments.dropFirst()
        guard let output = paths.first else {
            throw CocoaError(.fileNoSuchFile)
        }
        let lines = try paths.dropFirst().map { path in
            let file = URL(fileURLWithPath: path)
            let text = try Data(contentsOf: file).base64EncodedString()
            return "        \"\(file.lastPathComponent)\": \"\(text)\","
        }
        let source = """
            extension ConsolePages {
                /// The files in Base64, by name.
                static let files: [String: String] = [
            \(lines.isEmpty ? "        :" : lines.joined(separator: "\n"))
                ]
            }

            """
        try source.write(toFile: output, atomically: true, encoding: .utf8)
    }
}
