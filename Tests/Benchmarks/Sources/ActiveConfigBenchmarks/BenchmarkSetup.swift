import Foundation
import Measuring

/// Measurement settings that all targets share.
struct BenchmarkSetup: Sendable {
    /// Rounds for operations that are repeated within a round.
    let rounds: Rounds
    /// Parent folder of the folders that targets create and remove.
    let directory: URL
    /// Path or name of a Python interpreter with orjson.
    let python: String

    /// Rounds for operations that run once per round: many rounds, because each gives a single
    /// figure.
    var singleRounds: Rounds { Rounds(rounds.count * 20) }

    /// Runs `body` with an empty folder, which is removed afterwards.
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
