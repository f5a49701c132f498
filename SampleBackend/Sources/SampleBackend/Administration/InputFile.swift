import Foundation
import JSONTree

/// A type that reads the files that commands are given.
enum InputFile: Sendable {
    /// The bytes of a file.
    ///
    /// - Parameter path: The file; `-` is standard input.
    /// - Returns: The bytes.
    /// - Throws: A ``CommandFailure`` when it cannot be read.
    static func data(_ path: String) throws -> Data {
        do {
            if path == "-" { return try FileHandle.standardInput.readToEnd() ?? Data() }
            return try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw CommandFailure.badInput(
                "The file \(path) cannot be read: check that it exists and may be read.")
        }
    }

    /// The JSON of a file.
    ///
    /// - Parameter path: The file; `-` is standard input.
    /// - Returns: The value.
    /// - Throws: A ``CommandFailure`` when it cannot be read, or holds no JSON.
    static func json(_ path: String) throws -> JSONNode {
        try json(in: try data(path), of: path)
    }

    /// The JSON in the bytes of a file.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - path: The file, for the error.
    /// - Returns: The value.
    /// - Throws: A ``CommandFailure`` when it holds no JSON.
    static func json(in data: Data, of path: String) throws -> JSONNode {
        do {
            return try JSONNode(jsonData: data)
        } catch {
            throw CommandFailure.badInput("The file \(path) holds no valid JSON. \(error)")
        }
    }
}
