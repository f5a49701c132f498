import ActiveConfig
import Foundation
import Measuring

/// F5: writing a document of 1,000 settings.
enum F5Writing: BenchmarkTarget {
    static let name = "F5"
    static let work = "write 1,000 settings"

    static func rows(_ setup: BenchmarkSetup) async throws -> [Row] {
        let state = try SampleDocument().state
        let encoder = JSONEncoder()
        let sortingEncoder = JSONEncoder()
        sortingEncoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let samples = try await setup.rounds.measure([
            try Side.repeating("ActiveConfig") { state.jsonData().count },
            try Side.repeating("JSONEncoder") { try encoder.encode(state).count },
            try Side.repeating("JSONEncoder, sorted") { try sortingEncoder.encode(state).count },
        ])
        return [
            Row(
                name, work, ours: samples[0], against: "JSONEncoder", samples[1],
                wanted: .timesFaster(10)),
            Row(
                name, work, ours: samples[0], against: "JSONEncoder, keys sorted as ours",
                samples[2],
                wanted: .nothing),
        ]
    }
}
