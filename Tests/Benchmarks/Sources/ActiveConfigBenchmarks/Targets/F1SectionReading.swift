import ActiveConfig
import Configuration
import Foundation
import Measuring

/// F1: reading one setting by the names of its section and its key, as most code does.
enum F1SectionReading: BenchmarkTarget {
    static let name = "F1"
    static let work = #"config["Section"]?.bool(forKey: "key")"#

    static func rows(_ setup: BenchmarkSetup) async throws -> [Row] {
        let names = LiteralNames.sections.flatMap { section in
            LiteralNames.keys.map { (section, $0) }
        }
        let samples = try await setup.rounds.measure([
            ours(names), try literalKey(names), try prebuiltKey(names),
        ])
        return [
            Row(
                name, work, ours: samples[0], against: "swift-configuration, literal key",
                samples[1],
                wanted: .timesFaster(20)),
            Row(
                name, work, ours: samples[0], against: "swift-configuration, prebuilt key",
                samples[2], wanted: .nothing),
        ]
    }

    /// Value of a setting; two of three are true.
    private static func isOn(_ number: Int) -> Bool { number % 3 != 0 }

    private static func ours(_ names: [(String, String)]) throws -> Side {
        var settings: [String: [String: SettingValue]] = [:]
        for (number, (section, key)) in names.enumerated() {
            settings[section, default: [:]][key] = .bool(isOn(number))
        }
        let state = ConfigurationState(
            meta: [:], sections: settings.mapValues { ActiveConfigSection(settings: $0) })
        let store = InMemoryStore()
        store.persistConfiguration(
            try ConfigurationState(jsonData: state.jsonData()), forUserID: "1")
        let config = ActiveConfig(
            configDownloader: AlternatingDownloader(state), configStore: store,
            notificationCenter: NotificationCenter(),
            listenerQueue: DispatchQueue(label: "benchmarks.listeners"))
        config.currentUserID = "1"
        return try Side.repeating("ActiveConfig", batch: names.count) {
            var count = 0
            for (section, key) in names where config[section]?.bool(forKey: key) == true {
                count += 1
            }
            return count
        }
    }

    /// Reader of the same settings by swift-configuration.
    private static func reader(_ names: [(String, String)]) -> ConfigReader {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for (number, (section, key)) in names.enumerated() {
            values[AbsoluteConfigKey([section, key])] = ConfigValue(
                .bool(isOn(number)), isSecret: false)
        }
        return ConfigReader(provider: InMemoryProvider(values: values))
    }

    /// Side that makes the key at each read, as `reader.bool(forKey: "Section.key")` does.
    private static func literalKey(_ names: [(String, String)]) throws -> Side {
        let reader = reader(names)
        let literals = names.map { "\($0).\($1)" }
        return try Side.repeating("literal key", batch: names.count) {
            var count = 0
            for literal in literals where reader.bool(forKey: ConfigKey(literal)) == true {
                count += 1
            }
            return count
        }
    }

    /// Side that makes the keys once.
    private static func prebuiltKey(_ names: [(String, String)]) throws -> Side {
        let reader = reader(names)
        let keys = names.map { ConfigKey([$0, $1]) }
        return try Side.repeating("prebuilt key", batch: names.count) {
            var count = 0
            for key in keys where reader.bool(forKey: key) == true { count += 1 }
            return count
        }
    }
}
