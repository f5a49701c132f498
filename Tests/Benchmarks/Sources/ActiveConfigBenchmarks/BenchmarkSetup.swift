import Foundation
import Measuring

/// How to measure: what is the same for all targets.
struct BenchmarkSetup: Sendable {
    /// The rounds of what is repeated within a round.
    let rounds: Rounds
    /// The folder for files; targets make their own folders in it and remove them.
    let directory: URL
    /// The Python that has orjson.
    let python: String

    /// Rounds for what is done once a round: many, since each is a single figure.
    var singleRounds: Rounds { Rounds(rounds.count * 20) }

    /// Runs `body` with an empty folder, which is removed then.
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
