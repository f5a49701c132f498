import Foundation
import JSONTree

/// Writes the answers of commands, for people or for programs.
enum Output: Sendable {
    /// Prints one JSON document.
    static func print(_ node: JSONNode) {
        Terminal.write(Data(node.terminalText(.pretty).utf8))
    }

    /// Prints one JSON document on a line of its own.
    static func printLine(_ node: JSONNode) {
        Terminal.write(Data((node.terminalText(.compact) + "\n").utf8))
    }

    /// Prints a table, its columns as wide as they need to be.
    ///
    /// - Parameters:
    ///   - heading: The names of the columns.
    ///   - rows: The rows.
    static func printTable(_ heading: [String], _ rows: [[String]]) {
        let rows = rows.map { row in row.map(\.escapedForTerminal) }
        let widths = heading.indices.map { column in
            ([heading] + rows).map { $0[column].count }.max() ?? 0
        }
        for (index, row) in ([heading] + rows).enumerated() {
            let line = zip(row, widths).map { text, width in
                text.padding(toLength: width, withPad: " ", startingAt: 0)
            }.joined(separator: "  ")
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            Terminal.print(index == 0 ? Terminal.colored(trimmed, .bold) : trimmed)
        }
    }

    /// Writes a file, or standard output.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - path: The file; nil and `-` are standard output.
    /// - Throws: A ``CommandFailure`` when the file cannot be written.
    static func write(_ data: Data, to path: String?) throws {
        guard let path, path != "-" else {
            let isTerminal = isatty(STDOUT_FILENO) == 1
            let text = isTerminal ? String(validating: data, as: UTF8.self) : nil
            Terminal.write(
                text.map { Data($0.escaped(keeping: [], ends: false).utf8) } ?? data)
            return
        }
        do {
            try data.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw CommandFailure(
                "The file \(path) cannot be written: check that its folder exists and may be "
                    + "written.", code: Exit.failure)
        }
    }
}
