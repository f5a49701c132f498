import Foundation

/// A type that writes to the terminal, or to what stands in its place.
enum Console: Sendable {
    /// Writes a line to standard output, without a buffer in between, so that a pipe has it at once.
    ///
    /// That nobody reads any more is no reason to stop.
    static func print(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Writes bytes to standard output as they are.
    static func write(_ data: Data) {
        try? FileHandle.standardOutput.write(contentsOf: data)
    }

    /// Writes a line to standard error.
    static func printError(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
