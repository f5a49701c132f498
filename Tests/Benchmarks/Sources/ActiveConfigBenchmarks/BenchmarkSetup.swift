import Foundation
import Measuring

/// Settings of a measurement that all targets share.
struct BenchmarkSetup: Sendable {
    /// Rounds for operations that are repeated within a round.
    let rounds: Rounds
    /// Parent of the folders that targets make and remove.
    let directory: URL
    /// Python interpreter that has orjson, by path or by name.
    let python: String

    /// Rounds for operations that run once per round: many, since each gives a single figure.
    var singleRounds: Rounds { Rounds(rounds.count * 20) }

    /// Runs `body` with an empty folder, and then removes the folder.
    func withFolder<Result>(
        named name: String, _ body: (URL) async throws -> Result
    ) async throws -> Result {
        let folder = directory.appending(
            path: "activeconfig-benchmarks-\(name)-\(UUID().uuidString)",
            directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }
}
