import ActiveConfig
import Foundation
import Measuring

/// F9: storing a document so that a crash does not lose it.
enum F9Persisting: BenchmarkTarget {
    static let name = "F9"
    static let work = "persist durably"

    static func rows(_ setup: BenchmarkSetup) async throws -> [Row] {
        let documents = [try SampleDocument(), try SampleDocument(variant: 1)]
        return try await setup.withFolder(named: name) { folder in
            let store = FileDefaultsStore(
                directory: folder.appending(path: "store", directoryHint: .isDirectory))
            let plain = folder.appending(path: "plain", directoryHint: .isDirectory)
            try FileManager.default.createDirectory(at: plain, withIntermediateDirectories: true)
            let file = plain.appending(path: "document.json")
            var turn = 0
            let samples = try await setup.singleRounds.measure([
                Side.once("FileDefaultsStore") {
                    turn += 1
                    try store.persistConfiguration(documents[turn % 2].state, forUserID: "1")
                },
                Side.once("Data.write") {
                    try documents[turn % 2].data.write(to: file, options: .atomic)
                },
            ])
            guard store.ownConfiguration(forUserID: "1") == documents[turn % 2].state else {
                throw NotKept()
            }
            return [
                Row(
                    name, "\(work), \(documents[0].data.count) bytes", ours: samples[0],
                    against: "Data.write(.atomic)", samples[1], wanted: .atMostTimes(1.2))
            ]
        }
    }

    /// The store does not return the last persisted document.
    private struct NotKept: Error {}
}
