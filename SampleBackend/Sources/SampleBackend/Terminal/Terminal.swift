import Foundation

/// Writes to the terminal, or to what stands in its place.
enum Terminal: Sendable {
    /// Writes a line, or several, to standard output, without a buffer in between, so that a pipe has
    /// it at once.
    ///
    /// Control characters are escaped, wherever they come from. A closed reader is no error.
    static func print(_ line: String) {
        write(Data((printable(line) + "\n").utf8))
    }

    /// Writes bytes to standard output as they are.
    static func write(_ data: Data) {
        try? FileHandle.standardOutput.write(contentsOf: data)
    }

    /// Writes a line, or several, to standard error, escaped as well.
    static func printError(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((printable(line) + "\n").utf8))
    }

    private static func printable(_ text: String) -> String {
        text.escaped(keeping: Output.colorSequences, ends: false)
    }
}
