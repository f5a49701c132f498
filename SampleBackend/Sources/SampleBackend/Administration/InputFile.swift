import Foundation
import JSONTree

/// Reads the input files of commands; `-` is standard input.
enum InputFile: Sendable {
    /// - Throws: A ``CommandFailure`` when the file cannot be read.
    static func data(_ path: String) throws -> Data {
        do {
            if path == "-" { return try FileHandle.standardInput.readToEnd() ?? Data() }
            return try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw CommandFailure.badInput(
                "The file \(path) cannot be read: check that it exists and may be read.")
        }
    }

    /// - Throws: A ``CommandFailure`` when the file cannot be read or is not JSON.
    static func json(_ path: String) throws -> JSONNode {
        try json(in: try data(path), of: path)
    }

    /// Parses the content of a file; `path` is for the error message only.
    static func json(in data: Data, of path: String) throws -> JSONNode {
        do {
            return try JSONNode(jsonData: data)
        } catch {
            throw CommandFailure.badInput("The file \(path) is not valid JSON. \(error)")
        }
    }
}
