import ActiveConfig
import ActiveConfigGeneration
import Foundation
import Testing

/// The Swift source generated from models.
struct SettingsModelSourceTests {
    private func source(_ document: Data, schema: Data? = nil) throws -> String {
        try SettingsModel(document: document, schema: schema).swiftSource()
    }

    /// To regenerate the expected files: `swift run ActiveConfigGenerator Tests/…/NAME.json
    /// --schema … --output Tests/…/NAME.swift.txt`.
    @Test(arguments: ["EveryTypeActiveConfig", "NamesActiveConfig"])
    func theSourceIsTheExpectedOne(name: String) throws {
        let schema = try? Fixture.data("\(name).schema.json")
        let source = try source(Fixture.data("\(name).json"), schema: schema)
        let expected = try Fixture.text("\(name).swift.txt")
        let lines = zip(
            source.split(separator: "\n", omittingEmptySubsequences: false),
            expected.split(separator: "\n", omittingEmptySubsequences: false))
        for (index, (line, expected)) in lines.enumerated() {
            try #require(Array(line.utf8) == Array(expected.utf8), "line \(index + 1)")
        }
        #expect(Array(source.utf8) == Array(expected.utf8))
    }

    @Test(arguments: ["EveryTypeActiveConfig", "NamesActiveConfig"])
    func theOrderOfTheDocumentDoesNotCount(name: String) throws {
        let document = try Fixture.data("\(name).json")
        let schema = try? Fixture.data("\(name).schema.json")
        let expected = try source(document, schema: schema)
        #expect(try source(document, schema: schema) == expected)
        for seed in 0..<10 {
            var random = SeededGenerator(seed: UInt64(seed))
            let permuted = try PermutedJSON(document, using: &random).data
            let permutedSchema = try schema.map { try PermutedJSON($0, using: &random).data }
            #expect(permuted != document)
            let source = try source(permuted, schema: permutedSchema)
            #expect(Array(source.utf8) == Array(expected.utf8), "seed \(seed)")
        }
    }

    @Test func aSourceIsReadable() throws {
        let document = """
            {"meta": {}, "config_sections": {"Checkout": {"settings": {
                "requestTimeout": {"value": 30}, "is_on": {"value": true}
            }}}}
            """
        let schema = """
            {"access_level": "public", "config_sections": {"Checkout": {
                "description": "The way from the cart\\nto the order.",
                "settings": {"requestTimeout": {"type": "duration?", "description": "For each."}}
            }}}
            """
        #expect(
            try source(Data(document.utf8), schema: Data(schema.utf8)) == """
                // Generated from a configuration; changes made here are lost.

                public import ActiveConfig

                /// The way from the cart
                /// to the order.
                public nonisolated enum CheckoutKeys {
                    /// The setting `Checkout.is_on`.
                    public static let isOn = SettingKey<Bool>("Checkout", "is_on", default: true)

                    /// For each.
                    public static let requestTimeout = SettingKey<Duration?>(
                        "Checkout", "requestTimeout", default: .seconds(30))
                }

                """)
    }

    @Test func anEmptyConfigurationHasASource() throws {
        let source = SettingsModel(sections: [:]).swiftSource()
        #expect(source.hasSuffix("\nimport ActiveConfig\n"))
    }

    /// JSON has no infinite numbers, but configurations created in code can.
    @Test func infiniteNumbersHaveLiterals() throws {
        let section = SettingsModel.Section(settings: [
            "double": try .init(default: .double(.infinity), type: .double),
            "json": try .init(default: .double(-.infinity), type: .json),
            "many": .init(default: .array(Array(repeating: [.double(.nan)], count: 200))),
        ])
        let source = SettingsModel(sections: ["a": section]).swiftSource()
        #expect(source.contains("default: .infinity)"))
        #expect(source.contains("default: .double(-.infinity))"))
        #expect(source.contains("[.nan], [.nan]"))
    }
}

/// The same JSON with object members in another order.
private struct PermutedJSON {
    let data: Data

    init(_ data: Data, using random: inout SeededGenerator) throws {
        self.data = Data(Self.text(try SettingValue(jsonData: data), using: &random).utf8)
    }

    private static func text(_ value: SettingValue, using random: inout SeededGenerator) -> String {
        switch value {
        case .array(let elements):
            return "[\(elements.map { text($0, using: &random) }.joined(separator: ", "))]"
        case .object(let members):
            let texts = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                .shuffled(using: &random)
                .map { "\(SettingValue.string($0.key)): \(text($0.value, using: &random))" }
            return "{\(texts.joined(separator: ", "))}"
        default: return value.description
        }
    }
}
