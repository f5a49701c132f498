import Foundation
import Measuring

/// F10: memory of many users' configurations, in a separate process.
enum F10Memory: BenchmarkTarget {
    static let name = "F10"
    static let work = "memory of 1,000 users of 1,000 settings"

    private static let userCount = 1_000

    static func rows(_ setup: BenchmarkSetup) async throws -> [Row] {
        #if os(Linux)
            return [
                try row("memory of 1,000 users' equal documents", ownSections: 0),
                try row("the same, one section of ten each user's own", ownSections: 1),
            ]
        #else
            return []
        #endif
    }

    private static func row(_ what: String, ownSections: Int) throws -> Row {
        let ratio = try ratio(ownSections: ownSections)
        return Row(
            fact: name, what, found: "\(Figure.text(of: ratio))× the JSON",
            wanted: "≤ 2× the JSON", isMet: ratio > 0 && ratio <= 2)
    }

    /// The process did not print a figure.
    private struct NoFigure: Error {}

    private static func ratio(ownSections: Int) throws -> Double {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--resident-users", "\(userCount),\(ownSections)"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let line = String(decoding: text, as: UTF8.self)
        guard let ratio = Double(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw NoFigure()
        }
        return ratio
    }
}
