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
        text.escaped(keeping: colorSequences, ends: false)
    }
}

extension Terminal {
    /// A colour of the terminal.
    enum Color: String, Sendable, CaseIterable {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case bold = "1"
        case dim = "2"
    }

    /// Whether standard output is a terminal that wants colours (https://no-color.org).
    private static let hasColors =
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil

    /// Ends a colour.
    private static let plain = "\u{1B}[0m"

    /// Sequences that this program writes itself; none without colours.
    fileprivate static let colorSequences =
        hasColors ? Color.allCases.map(\.sequence) + [plain] : []

    /// A text in a colour, where there are any.
    static func colored(_ text: String, _ color: Color) -> String {
        let text = text.escapedForTerminal
        return hasColors ? color.sequence + text + plain : text
    }
}

extension Terminal.Color {
    fileprivate var sequence: String { "\u{1B}[\(rawValue)m" }
}
