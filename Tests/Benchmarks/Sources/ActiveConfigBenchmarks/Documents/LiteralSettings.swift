import ActiveConfig
import Configuration
import Foundation

/// A thousand settings by literal names, in ActiveConfig and in its peer.
struct LiteralSettings: Sendable {
    /// The section and the key of each setting.
    let names: [(section: String, key: String)]
    /// Values for ActiveConfig and for its peer.
    private let values: [(SettingValue, ConfigContent)]

    /// Booleans; two of three are true.
    static let booleans = LiteralSettings { (.bool($0 % 3 != 0), .bool($0 % 3 != 0)) }
    /// Integers of all sizes.
    static let integers = LiteralSettings { (.integer($0 * $0 * $0), .int($0 * $0 * $0)) }
    /// Texts of 29 to 31 bytes.
    static let texts = LiteralSettings {
        (.string("the text of the setting no. \($0)"), .string("the text of the setting no. \($0)"))
    }

    private init(value: (Int) -> (SettingValue, ConfigContent)) {
        names = LiteralNames.sections.flatMap { section in
            LiteralNames.keys.map { (section, $0) }
        }
        values = names.indices.map(value)
    }

    /// Coordinator with these settings active.
    func activeConfig() throws -> ActiveConfig {
        var settings: [String: [String: SettingValue]] = [:]
        for (name, value) in zip(names, values) {
            settings[name.section, default: [:]][name.key] = value.0
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
        return config
    }

    /// Reader of the same settings by swift-configuration.
    func configReader() -> ConfigReader {
        var contents: [AbsoluteConfigKey: ConfigValue] = [:]
        for (name, value) in zip(names, values) {
            contents[AbsoluteConfigKey([name.section, name.key])] = ConfigValue(
                value.1, isSecret: false)
        }
        return ConfigReader(provider: InMemoryProvider(values: contents))
    }

    /// Keys of ActiveConfig with a default.
    func settingKeys<Value: SettingConvertible & Decodable>(
        default standard: Value
    ) -> [SettingKey<Value>] {
        names.map { SettingKey($0.section, $0.key, default: standard) }
    }

    /// Keys of swift-configuration.
    func configKeys() -> [ConfigKey] { names.map { ConfigKey([$0.section, $0.key]) } }
}
