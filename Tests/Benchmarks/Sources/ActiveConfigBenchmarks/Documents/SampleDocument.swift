import ActiveConfig
import Foundation

/// A document of the exchange format, made the same in each run: names of 16 bytes, and the mix of
/// values that apps have.
struct SampleDocument: Sendable {
    /// The text, as a server sends it: compact.
    let data: Data
    /// What was read from that text.
    let state: ConfigurationState
    /// The number of its settings.
    let settingCount: Int

    /// Makes a document.
    ///
    /// - Parameters:
    ///   - sections: How many sections it has.
    ///   - settingsPerSection: How many settings each has.
    ///   - variant: A number that makes the values differ.
    ///   - change: Changes what was made, before it becomes text.
    /// - Throws: when what was written cannot be read.
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

    /// A section's name: 16 bytes.
    static func sectionName(_ number: Int) -> String { name("Section", number) }

    /// A setting's key: 16 bytes.
    static func settingKey(_ number: Int) -> String { name("setting", number) }

    private static func name(_ word: String, _ number: Int) -> String {
        let digits = String(number)
        return "\(word)_\(String(repeating: "0", count: 8 - digits.count))\(digits)"
    }
}
