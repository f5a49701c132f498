import ActiveConfig
import Foundation
import Measuring

/// F4: reading a document of 1,000 settings.
enum F4Parsing: BenchmarkTarget {
    static let name = "F4"
    static let work = "parse 1,000 settings"

    static func rows(_ setup: BenchmarkSetup) async throws -> [Row] {
        let document = try SampleDocument()
        let large = try SampleDocument(settingsPerSection: 1_000)
        let data = document.data
        var sides = [
            try side(document), try side(large),
            try Side.repeating("JSONDecoder, enum") {
                let tree = try JSONDecoder().decode(JSONTree.self, from: data)
                return tree.members["config_sections"]?.members.count ?? 0
            },
            try Side.repeating("JSONDecoder, structures") {
                try JSONDecoder().decode(TypedDocument.self, from: data).sections.count
            },
            try Side.repeating("JSONSerialization") {
                let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
                return (object?["config_sections"] as? [String: Any])?.count ?? 0
            },
        ]
        return try await setup.withFolder(named: name) { folder in
            let file = folder.appending(path: "document.json")
            try data.write(to: file)
            let orjson = Result { try Orjson(python: setup.python, document: file) }
            if let orjson = try? orjson.get() { sides.append(try side(orjson)) }
            let samples = try await setup.rounds.measure(sides)
            let what = "\(work), \(document.data.count) bytes"
            var rows = [
                Row(
                    name, what, ours: samples[0], against: "JSONDecoder into an enum", samples[2],
                    wanted: .timesFaster(40)),
                Row(
                    name, what, ours: samples[0], against: "JSONDecoder into structures",
                    samples[3],
                    wanted: .nothing),
                Row(
                    name, what, ours: samples[0], against: "JSONSerialization", samples[4],
                    wanted: .timesFaster(6)),
            ]
            switch orjson {
            case .success(let orjson):
                rows.append(
                    Row(
                        name, what, ours: samples[0], against: orjson.version, samples[5],
                        wanted: .atMostTimes(1.2)))
            case .failure(let error):
                rows.append(
                    Row(
                        fact: name, what, found: "not compared: \(error)", wanted: "≤ 1.2× orjson",
                        isMet: false))
            }
            rows.append(
                Row(
                    name, "parse 10,000 settings, \(large.data.count) bytes", ours: samples[1],
                    against: "1,000 settings", samples[0], wanted: .atMostTimes(12)))
            return rows
        }
    }

    private static func side(_ document: SampleDocument) throws -> Side {
        let data = document.data
        return try Side.repeating("ActiveConfig") {
            try ConfigurationState(jsonData: data).sections.count
        }
    }

    /// Parses the document in the other process for about 20 ms, like the other sides.
    private static func side(_ orjson: Orjson) throws -> Side {
        _ = try orjson.parse(times: 10)
        let once = try orjson.parse(times: 10)
        let times = max(1, Int(20_000_000 / max(once, 1)))
        return Side("orjson") { try orjson.parse(times: times) }
    }
}
