import Foundation
import Measuring

/// All rows and the conditions of their measurement.
struct Report: Encodable {
    let rows: [Row]
    let rounds: Int
    let seconds: Double
    let processorCount: Int
    let operatingSystem: String

    /// Report of rows measured on this machine.
    init(rows: [Row], rounds: Int, duration: Duration) {
        self.rows = rows
        self.rounds = rounds
        seconds = (duration / .seconds(1) * 10).rounded() / 10
        processorCount = ProcessInfo.processInfo.activeProcessorCount
        operatingSystem = ProcessInfo.processInfo.operatingSystemVersionString
    }

    /// True if a target is missed.
    var hasMissed: Bool { rows.contains { $0.verdict == .missed } }

    /// The table, with a summary line.
    func text(isColored: Bool) -> String {
        let missed = rows.count { $0.verdict == .missed }
        let met = rows.count { $0.verdict == .met }
        let summary =
            "\(met) met, \(missed) missed. Medians of \(rounds) rounds, ± half the spread of their "
            + "middle half; \(processorCount) processors, \(operatingSystem), \(seconds) s."
        #if DEBUG
            let warning = ["Debug build: the figures are meaningless. Build with -c release."]
        #else
            let warning: [String] = []
        #endif
        return (Table(rows, isColored: isColored).lines + ["", summary] + warning)
            .joined(separator: "\n")
    }

    /// The report as JSON.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
