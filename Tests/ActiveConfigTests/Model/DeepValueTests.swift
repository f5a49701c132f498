import ActiveConfig
import Foundation
import Testing

/// Deeply nested values on the stack of a secondary thread.
@Suite(.timeLimit(.minutes(Rounds.minutes)), .onOneThread)
struct DeepValueTests {
    /// Kind of container that each level adds.
    enum Nesting: CaseIterable {
        case arrays, objects, both

        /// Value nested `levels` deep.
        func value(levels: Int, of innermost: SettingValue = 1) -> SettingValue {
            (0..<levels).reduce(innermost) { value, level in
                self == .arrays || self == .both && level.isMultiple(of: 2) ? [value] : ["a": value]
            }
        }
    }

    /// The greatest depth that the limits allow; five of its levels surround the value.
    private static let deepest = ConfigurationLimits(maximumDepth: .max)

    private static func document(_ nesting: Nesting) -> Data {
        let value = String(
            decoding: nesting.value(levels: deepest.maximumDepth - 5).jsonData(), as: UTF8.self)
        return Data(DocumentText.make(value: value).utf8)
    }

    @Test(arguments: Nesting.allCases)
    func aDeepValueIsReadComparedHashedAndWrittenOnASmallStack(nesting: Nesting) async throws {
        let text = Self.document(nesting)
        let written = try await SmallStack.run {
            let state = try ConfigurationState(jsonData: text, limits: Self.deepest)
            let other = try ConfigurationState(jsonData: text, limits: Self.deepest)
            let value = try #require(state.section(named: "S")?["k"])
            #expect(value == other.section(named: "S")?["k"])
            #expect(value.hashValue == other.section(named: "S")?["k"]?.hashValue)
            #expect(value.description.utf8.count > 500)
            #expect(Set([state, other]).count == 1)
            return state.jsonData()
        }
        #expect(
            try ConfigurationState(jsonData: written, limits: Self.deepest)
                == ConfigurationState(jsonData: text, limits: Self.deepest))
    }

    @Test(arguments: Nesting.allCases)
    func aDeepValueDiffersByWhatIsInnermost(nesting: Nesting) async throws {
        try await SmallStack.run {
            #expect(nesting.value(levels: 1_500) == nesting.value(levels: 1_500))
            #expect(nesting.value(levels: 1_500) != nesting.value(levels: 1_500, of: 2))
            #expect(nesting.value(levels: 1_500) != nesting.value(levels: 1_501))
        }
    }

    @Test(arguments: Nesting.allCases)
    func aDeepValueIsMadeOfADictionaryOnASmallStack(nesting: Nesting) async throws {
        try await SmallStack.run {
            func any(levels: Int) -> Any {
                (0..<levels).reduce(1 as Any) { value, level -> Any in
                    if nesting == .arrays || nesting == .both && level.isMultiple(of: 2) {
                        return [value]
                    }
                    return ["a": value]
                }
            }
            func document(levels: Int) throws -> ConfigurationState {
                try ConfigurationState(dictionary: [
                    "meta": ["m": any(levels: levels)], "config_sections": [String: Any](),
                ])
            }
            let accepted = try document(levels: 126)
            #expect(accepted.meta["m"] == nesting.value(levels: 126))
            let error = #expect(throws: ConfigurationFormatError.self) {
                try document(levels: 127)
            }
            #expect(error?.code == .tooDeep)
        }
    }

    @Test func aDeepValueCountsTheDepthOfAValueInADictionary() throws {
        let state = try ConfigurationState(dictionary: [
            "meta": ["m": [Nesting.arrays.value(levels: 125)]], "config_sections": [String: Any](),
        ])
        #expect(state.meta["m"] == Nesting.arrays.value(levels: 126))
        let error = #expect(throws: ConfigurationFormatError.self) {
            try ConfigurationState(dictionary: [
                "meta": ["m": [Nesting.arrays.value(levels: 126)]],
                "config_sections": [String: Any](),
            ])
        }
        #expect(error?.code == .tooDeep)
        #expect(error?.path == "meta.m[0]")
    }

    @Test(arguments: Nesting.allCases)
    func aDeepValueIsCodedOrRefusedOnASmallStack(nesting: Nesting) async throws {
        try await SmallStack.run {
            let value = nesting.value(levels: 96)
            let text = try JSONEncoder().encode(value)
            #expect(text == value.jsonData())
            #expect(try JSONDecoder().decode(SettingValue.self, from: text) == value)
            for levels in [97, 500] {
                let deep = nesting.value(levels: levels)
                let error = #expect(throws: EncodingError.self) { try JSONEncoder().encode(deep) }
                #expect("\(String(describing: error))".contains("deeper than 96"))
                let deepText = deep.jsonData()
                let refused = #expect(throws: DecodingError.self) {
                    try JSONDecoder().decode(SettingValue.self, from: deepText)
                }
                #expect("\(String(describing: refused))".contains("deeper than 96"))
            }
        }
    }

    @Test func aDeepValueKeepsTheKeysOfAnObjectFromStrategies() throws {
        let value: SettingValue = ["someKey": ["other_key": [["lastKey": 1]]]]
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        #expect(try encoder.encode(value) == value.jsonData())
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        #expect(try decoder.decode(SettingValue.self, from: value.jsonData()) == value)
    }

    /// As deep as the value from which it is decoded.
    struct Tree: Decodable {
        var branches: [Tree]

        init(from decoder: any Decoder) throws {
            branches = try decoder.singleValueContainer().decode([Tree].self)
        }
    }

    @Test func aDeepValueIsDecodedIntoATypeOrRefusedOnASmallStack() async throws {
        try await SmallStack.run {
            _ = try Nesting.arrays.value(levels: 90, of: []).decode(Tree.self)
            let error = #expect(throws: DecodingError.self) {
                try Nesting.arrays.value(levels: 500, of: []).decode(Tree.self)
            }
            #expect("\(String(describing: error))".contains("deeper than 96"))
            let value = Nesting.objects.value(levels: 500)
            #expect(try value.decode(SettingValue.self) == value)
        }
    }
}
