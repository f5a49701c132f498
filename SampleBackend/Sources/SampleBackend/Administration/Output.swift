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

    /// Prints a table whose columns are as wide as their widest cell.
    static func printTable(_ heading: [String], _ rows: [[String]]) {
        for (index, line) in tableLines(heading, rows).enumerated() {
            Terminal.print(index == 0 ? Terminal.colored(line, .bold) : line)
        }
    }

    /// The lines of a table, the heading first; every cell is whole.
    static func tableLines(_ heading: [String], _ rows: [[String]]) -> [String] {
        let rows = [heading] + rows.map { $0.map(\.escapedForTerminal.quotedAtWhiteSpace) }
        let widths = heading.indices.map { column in
            rows.map { $0[column].displayWidth }.max() ?? 0
        }
        return rows.map { row in
            // Spaces after the last text would only wrap the line.
            let last = row.lastIndex { !$0.isEmpty } ?? 0
            return row.indices.prefix(last + 1).map { column in
                column == last ? row[column] : row[column].padded(to: widths[column])
            }.joined(separator: "  ")
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
