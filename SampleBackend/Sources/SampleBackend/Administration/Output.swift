import Foundation
import JSONTree

/// Prints the results of commands as text or JSON.
enum Output: Sendable {
    static func print(_ node: JSONNode) {
        Terminal.write(Data(node.terminalText(.pretty).utf8))
    }

    /// Prints the document on a single line.
    static func printLine(_ node: JSONNode) {
        Terminal.write(Data((node.terminalText(.compact) + "\n").utf8))
    }

    /// Prints a table whose columns are as wide as their longest cell.
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

    /// Writes a file, or standard output if the path is nil or `-`.
    static func write(_ data: Data, to path: String?) throws {
        guard let path, path != "-" else {
            let isTerminal = isatty(STDOUT_FILENO) == 1
            let text = isTerminal ? String(validating: data, as: UTF8.self) : nil
            Terminal.write(
                text.map { Data($0.escaped(keeping: [], ends: false).utf8) } ?? data)
            return
        }
        do {
            try replace(path, with: data)
        } catch {
            throw CommandFailure(
                "The file \(path) cannot be written: check that its folder exists and may be "
                    + "written.", code: Exit.failure)
        }
    }

    /// Replaces a file atomically and keeps its permissions.
    ///
    /// Follows symbolic links. Writes
    /// directly into anything other than a regular file, such as a device or a pipe.
    private static func replace(_ path: String, with data: Data) throws {
        let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        if let type = attributes?[.type] as? FileAttributeType, type != .typeRegular {
            let handle = try FileHandle(forWritingTo: url)
            try handle.write(contentsOf: data)
            try handle.close()
            return
        }
        try data.write(to: url, options: .atomic)
        if let permissions = attributes?[.posixPermissions] {
            try FileManager.default.setAttributes(
                [.posixPermissions: permissions], ofItemAtPath: url.path)
        }
    }
}
