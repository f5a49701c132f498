import Testing

@testable import ActiveConfig

/// Settings of three layers are merged into one section.
struct ConfigurationLayersTests {
    private static func applied(
        defaults: ConfigurationLayers.Sections = [:], document: ConfigurationLayers.Sections = [:],
        overrides: ConfigurationLayers.Sections = [:]
    ) -> [String: ActiveConfigSection] {
        let table = ConfigurationLayers(defaults: defaults, overrides: overrides)
            .applied(to: document.mapValues { ActiveConfigSection(settings: $0) })
        return Dictionary(uniqueKeysWithValues: table.entries.map { ($0.name, $0.value) })
    }

    @Test func theHighestLayerCountsSettingBySetting() {
        let sections = Self.applied(
            defaults: ["S": ["a": 1, "b": 1, "c": 1], "D": ["x": 1]],
            document: ["S": ["b": 2, "c": 2, "d": 2], "E": ["x": 2]],
            overrides: ["S": ["c": 3, "e": 3], "O": ["x": 3]])
        #expect(
            sections == [
                "S": .init(settings: ["a": 1, "b": 2, "c": 3, "d": 2, "e": 3]),
                "D": .init(settings: ["x": 1]), "E": .init(settings: ["x": 2]),
                "O": .init(settings: ["x": 3]),
            ])
    }

    @Test func aValueReplacesTheWholeLowerOne() {
        let sections = Self.applied(
            defaults: ["S": ["x": ["a": 1, "b": 1], "y": 1]],
            document: ["S": ["x": ["a": 2], "y": nil]])
        #expect(sections["S"] == .init(settings: ["x": ["a": 2], "y": nil]))
    }

    @Test func anEmptySectionIsThereOnlyInADocument() {
        #expect(Self.applied(defaults: ["S": [:]], overrides: ["T": [:]]) == [:])
        #expect(Self.applied(defaults: ["S": [:]], document: ["S": [:]]).keys.sorted() == ["S"])
    }

    @Test func namesThatAreEqualAsStringsAreOneSetting() {
        let sections = Self.applied(
            defaults: ["Caf\u{E9}": ["\u{E9}": 1]], document: ["Cafe\u{301}": ["e\u{301}": 2]],
            overrides: ["Caf\u{E9}": ["e\u{301}": 3]])
        #expect(sections == ["Café": .init(settings: ["é": 3])])
        #expect(sections["Café"]?.settingKeys.count == 1)
    }

    @Test func aSectionThatNoLayerTouchesIsTheDocumentsOwn() {
        let document = ["S": ActiveConfigSection(settings: ["x": 1])]
        let layers = ConfigurationLayers(defaults: ["T": ["x": 1]], overrides: ["S": [:]])
        #expect(layers.applied(to: document)["S"]?.table === document["S"]?.table)
    }
}
