import ActiveConfig
import Foundation

/// Reproducible document with names of 16 bytes and the mix of values that is typical for apps.
struct SampleDocument: Sendable {
    /// Compact text, as a server sends it.
    let data: Data
    /// Configuration parsed from `data`.
    let state: ConfigurationState
    let settingCount: Int

    /// Document that depends only on the parameters.
    ///
    /// - Parameters:
    ///   - sections: Number of sections.
    ///   - settingsPerSection: Number of settings in each section.
    ///   - variant: Number that determines the values.
    ///   - change: Changes the settings before they are written.
    /// - Throws: An error when the text cannot be read back.
    init(
        sections: Int = 10, settingsPerSection: Int = 100, variant: Int = 0,
        change: (inout [String: [String: SettingValue]]) -> Void = { _ in }
    ) throws {
        var settings: [String: [String: SettingValue]] = [:]
        for section in 0..<sections {
            let first = section * settingsPerSection
            settings[Self.sectionName(section)] = Dictionary(
                uniqueKeysWithValues: (first..<first + settingsPerSection).map {
                    (Self.settingKey($0), SampleValues.value($0, variant: variant))
                })
        }
        change(&settings)
        let made = ConfigurationState(
            meta: [
                "format_version_string": "1.0", "creation_time": "2026-11-02T09:30:00Z",
                "template_version": .integer(42 + variant),
            ],
            sections: settings.mapValues { ActiveConfigSection(settings: $0) })
        data = made.jsonData()
        state = try ConfigurationState(jsonData: data)
        settingCount = sections * settingsPerSection
    }

    /// Name of a section, 16 bytes long.
    static func sectionName(_ number: Int) -> String { name("Section", number) }

    /// Key of a setting, 16 bytes long.
    static func settingKey(_ number: Int) -> String { name("setting", number) }

    private static func name(_ word: String, _ number: Int) -> String {
        let digits = String(number)
        return "\(word)_\(String(repeating: "0", count: 8 - digits.count))\(digits)"
    }
}
