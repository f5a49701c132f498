/// Rows as a table of text.
public struct Table: Sendable {
    private static let titles = ["target", "what", "ours", "peer", "ratio", "wanted", "verdict"]

    /// Rows of the table.
    public let rows: [Row]
    /// True if verdicts are coloured, as on a terminal.
    public let isColored: Bool

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - rows: Rows of the table.
    ///   - isColored: True to colour verdicts, as on a terminal.
    public init(_ rows: [Row], isColored: Bool = false) {
        self.rows = rows
        self.isColored = isColored
    }

    /// Lines of the table; the first contains the titles.
    public var lines: [String] {
        let cells =
            [Self.titles]
            + rows.map {
                [$0.target, $0.what, $0.ours, $0.peer, $0.ratioText, $0.wanted, $0.verdict.word]
            }
        let widths = Self.titles.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.enumerated().map { number, line in
            let padded = zip(line, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            let verdict = number == 0 ? nil : rows[number - 1].verdict
            let start = padded.dropLast().joined(separator: "  ")
            return "\(start)  \(colored(line[line.count - 1], verdict))"
        }
    }

    /// Verdict's word in its colour.
    private func colored(_ word: String, _ verdict: Verdict?) -> String {
        guard isColored else { return word }
        switch verdict {
        case .met: return "\u{1B}[32m\(word)\u{1B}[0m"
        case .missed: return "\u{1B}[1;31m\(word)\u{1B}[0m"
        case .information, nil: return word
        }
    }
}
