import ActiveConfig
import Configuration
import Measuring

/// F1: reading one setting by section name and key, as most code does.
enum F1SectionReading: BenchmarkTarget {
    static let name = "F1"
    static let work = #"config["Section"]?.bool(forKey: "key")"#

    static func rows(_ setup: BenchmarkSetup) async throws -> [Row] {
        let samples = try await setup.rounds.measure([ours(), literalKey(), prebuiltKey()])
        return [
            Row(
                name, work, ours: samples[0], against: "swift-configuration, literal key",
                samples[1],
                wanted: .timesFaster(25)),
            Row(
                name, work, ours: samples[0], against: "swift-configuration, prebuilt key",
                samples[2], wanted: .nothing),
        ]
    }

    private static func ours() throws -> Side {
        let names = LiteralSettings.booleans.names
        let config = try LiteralSettings.booleans.activeConfig()
        return try Side.repeating("ActiveConfig", batch: names.count) {
            var count = 0
            for (section, key) in names where config[section]?.bool(forKey: key) == true {
                count += 1
            }
            return count
        }
    }

    /// Side that creates the key at each read, as `reader.bool(forKey: "Section.key")` does.
    private static func literalKey() throws -> Side {
        let reader = LiteralSettings.booleans.configReader()
        let literals = LiteralSettings.booleans.names.map { "\($0.section).\($0.key)" }
        return try Side.repeating("literal key", batch: literals.count) {
            var count = 0
            for literal in literals where reader.bool(forKey: ConfigKey(literal)) == true {
                count += 1
            }
            return count
        }
    }

    /// Side that creates the keys once.
    private static func prebuiltKey() throws -> Side {
        let reader = LiteralSettings.booleans.configReader()
        let keys = LiteralSettings.booleans.configKeys()
        return try Side.repeating("prebuilt key", batch: keys.count) {
            var count = 0
            for key in keys where reader.bool(forKey: key) == true { count += 1 }
            return count
        }
    }
}
