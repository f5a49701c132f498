import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// The keys that the plug-in generates for this target from its fixtures.
struct GeneratedKeysTests {
    /// Reads a key's setting from the document from which the key was generated.
    private struct Document {
        private let state: ConfigurationState

        init(_ name: String) throws { state = try ConfigurationState(jsonData: Fixture.data(name)) }

        /// Expects that the default is exactly the value that the key reads from the document.
        func expectDefault<Value: SettingConvertible>(
            of key: SettingKey<Value>, sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let setting = try #require(
                state.sections[key.sectionName]?[key.name], "\(key)", sourceLocation: sourceLocation
            )
            let value = try #require(
                Value(settingValue: setting), "\(key)", sourceLocation: sourceLocation)
            #expect(
                exactText(key.defaultValue) == exactText(value), "\(key)",
                sourceLocation: sourceLocation)
        }

        var settingCount: Int { state.sections.values.reduce(0) { $0 + $1.settingKeys.count } }
    }

    @Test func defaultsOfInferredTypesAreTheDocuments() throws {
        let document = try Document("EveryTypeActiveConfig.json")
        try document.expectDefault(of: InferredKeys.bool)
        try document.expectDefault(of: InferredKeys.int)
        try document.expectDefault(of: InferredKeys.greatestInt)
        try document.expectDefault(of: InferredKeys.double)
        try document.expectDefault(of: InferredKeys.beyondInt)
        try document.expectDefault(of: InferredKeys.string)
        try document.expectDefault(of: InferredKeys.null)
        try document.expectDefault(of: InferredKeys.strings)
        try document.expectDefault(of: InferredKeys.numbers)
        try document.expectDefault(of: InferredKeys.exactIntegers)
        try document.expectDefault(of: InferredKeys.matrix)
        try document.expectDefault(of: InferredKeys.flags)
        try document.expectDefault(of: InferredKeys.limits)
        try document.expectDefault(of: InferredKeys.mixed)
        try document.expectDefault(of: InferredKeys.emptyArray)
        try document.expectDefault(of: InferredKeys.emptyObject)
        try document.expectDefault(of: InferredKeys.deepArray)
        try document.expectDefault(of: InferredKeys.deepMixed)
    }

    @Test func defaultsOfDeclaredTypesAreTheDocuments() throws {
        let document = try Document("EveryTypeActiveConfig.json")
        try document.expectDefault(of: DeclaredKeys.bool)
        try document.expectDefault(of: DeclaredKeys.int)
        try document.expectDefault(of: DeclaredKeys.double)
        try document.expectDefault(of: DeclaredKeys.float)
        try document.expectDefault(of: DeclaredKeys.smallestFloat)
        try document.expectDefault(of: DeclaredKeys.string)
        try document.expectDefault(of: DeclaredKeys.url)
        try document.expectDefault(of: DeclaredKeys.duration)
        try document.expectDefault(of: DeclaredKeys.wholeDuration)
        try document.expectDefault(of: DeclaredKeys.negativeDuration)
        try document.expectDefault(of: DeclaredKeys.date)
        try document.expectDefault(of: DeclaredKeys.data)
        try document.expectDefault(of: DeclaredKeys.emptyData)
        try document.expectDefault(of: DeclaredKeys.uuid)
        try document.expectDefault(of: DeclaredKeys.json)
        try document.expectDefault(of: DeclaredKeys.integers)
        try document.expectDefault(of: DeclaredKeys.urls)
        try document.expectDefault(of: DeclaredKeys.optionalInt)
        try document.expectDefault(of: DeclaredKeys.presentInt)
        try document.expectDefault(of: DeclaredKeys.optionals)
        try document.expectDefault(of: DeclaredKeys.durations)
        #expect(DeclaredKeys.onlyInSchema.defaultValue == nil)
    }

    @Test func numbersAndTextsAreExact() throws {
        let document = try Document("EveryTypeActiveConfig.json")
        try document.expectDefault(of: NumbersKeys.roundedTwice)
        try document.expectDefault(of: NumbersKeys.extreme)
        try document.expectDefault(of: NumbersKeys.floats)
        try document.expectDefault(of: NumbersKeys.anyNumbers)
        try document.expectDefault(of: TextsKeys.texts)
        try document.expectDefault(of: TextsKeys.namesOfMembers)
        try document.expectDefault(of: TextsKeys.long)
    }

    @Test func defaultsTooHeavyForTheCompilerAreTheDocuments() throws {
        let document = try Document("EveryTypeActiveConfig.json")
        try document.expectDefault(of: HeavyKeys.byName)
        try document.expectDefault(of: HeavyKeys.matrix)
        try document.expectDefault(of: HeavyKeys.objects)
        try document.expectDefault(of: HeavyKeys.optional)
        #expect(document.settingCount == 18 + 21 + 4 + 3 + 4)
    }

    @Test func typesAreThoseOfTheSchemaOrSuitTheValue() {
        let _: SettingKey<Int> = InferredKeys.int
        let _: SettingKey<Double> = InferredKeys.beyondInt
        let _: SettingKey<SettingValue> = InferredKeys.null
        let _: SettingKey<[Double]> = InferredKeys.numbers
        let _: SettingKey<[SettingValue]> = InferredKeys.exactIntegers
        let _: SettingKey<[String: [String: Int]]> = InferredKeys.limits
        let _: SettingKey<[String: SettingValue]> = InferredKeys.mixed
        let _: SettingKey<Bool> = DeclaredKeys.bool
        let _: SettingKey<[Double?]?> = DeclaredKeys.optionals
        let _: SettingKey<UUID?> = DeclaredKeys.onlyInSchema
    }

    /// Each name of the fixture is the name of a section, and of a setting in the section `Names`.
    @Test func everyNameHasAKey() throws {
        #expect(NamesKeys.plain.name == "plain")
        #expect(NamesKeys.a_b.name == "a_b")
        #expect(NamesKeys.aB.name == "aB")
        #expect(NamesKeys.`a b`.name == "a b")
        #expect(NamesKeys.`class`.name == "class")
        #expect(NamesKeys.`self`.name == "self")
        #expect(NamesKeys.`init`.name == "init")
        #expect(NamesKeys.`%{54}ype`.name == "Type")
        #expect(NamesKeys._2fa.name == "_2fa")
        #expect(NamesKeys.`2fa`.name == "2fa")
        #expect(NamesKeys.`_`.name == "")
        #expect(NamesKeys.`_+`.name == "+")
        #expect(NamesKeys.`_👍`.name == "👍")
        #expect(NamesKeys.`like👎`.name == "like👎")
        #expect(NamesKeys.`%{24}x`.name == "$x")
        #expect(NamesKeys.größe2.name == "gro\u{308}ße 2")
        #expect(NamesKeys.änderungNr.name == "ÄNDERUNG_NR")
        #expect(NamesKeys.日本語名.name == "日本語 名")
        #expect(NamesKeys.`a%{A}b`.defaultValue == "a\nb")
        #expect(`a bKeys`.x.sectionName == "a b")
        #expect(`_👍Keys`.x.sectionName == "👍")
        #expect(_Keys.x.sectionName == "")
    }

    @Test func aConfigurationIsReadByItsKeys() throws {
        let state = try ConfigurationState(jsonData: Fixture.data("EveryTypeActiveConfig.json"))
        let config = ActiveConfig.make(configuration: state)
        #expect(config[DeclaredKeys.duration] == .seconds(90.5))
        #expect(config[InferredKeys.int] == .min)
        let problems = config.diagnostics.problems.map { "\($0.path.sectionName).\($0.path.name)" }
        #expect(problems == ["Inferred.beyondInt", "NoSettings."])
    }
}
