import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// What keys of each type read, and what they make of a value of another type.
struct SettingTypesTests {
    @Test(arguments: SettingTypeCase.all)
    func aKeyReadsItsTypeOrGivesItsDefault(row: SettingTypeCase) {
        let settings = row.value.map { ["x": $0] } ?? [:]
        let fixture = CoordinatorFixture.make(
            store: InMemoryStore(bootstrap: .state(.make(sections: ["S": settings]))))
        let config = fixture.config

        #expect(row.isRead(config))
        let problems = row.reason.map {
            [SettingProblem(sectionName: "S", settingName: "x", reason: $0)]
        }
        #expect(config.problems == problems ?? [])
        #expect(
            fixture.log.messages(ofLevel: .warning)
                == (row.reason.map {
                    ["The setting 'S.x' \($0). The next lower value, or else the default, is used."]
                } ?? []))
    }

    /// Of two equal keys in a document the last one counts (FORMAT 1.3).
    @Test(arguments: [
        Row("the last one is right", #""x":{"value":"wrong"},"x":{"value":5}"#, 5),
        Row("the last one is wrong", #""x":{"value":5},"x":{"value":"wrong"}"#, -1),
    ])
    func aDuplicateCountsAsItsLastOccurrence(row: Row<String, Int>) throws {
        let text = DocumentText.make(sections: #"{"S":{"settings":{\#(row.input)}}}"#)
        let config = ActiveConfig.make(configuration: try DocumentText.read(text))
        #expect(config[SettingKey("S", "x", default: -1)] == row.expected)
        #expect(config.problems.count == (row.expected == 5 ? 0 : 1))
    }

    /// They are read or refused, and not quoted.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            Row("digits", "", "1"), Row("a fraction of a second", "2012-08-20T19:36:05.", "1"),
            Row("an ISO duration", "PT", "1"), Row("text", "", "é["),
        ])
    func aKeyOfEachTypeSurvivesTenMegabytes(row: Row<String, String>) {
        let text = row.input + String(repeating: row.expected, count: 10_000_000)
        let config = ActiveConfig.make(configuration: .make(sections: ["S": ["x": .string(text)]]))
        var types = 0
        for row in SettingTypeCase.all where row.value == nil {
            _ = row.isRead(config)
            types += 1
        }
        #expect(types > 15)
        #expect(config[SettingKey("S", "x", default: "")] == text)
        #expect(config.problems.count == 1)
        for problem in config.problems { #expect(problem.description.utf8.count < 300) }
    }

    /// Tree whose depth is that of the value.
    struct Tree: Decodable, Equatable {
        let children: [Tree]

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            var children: [Tree] = []
            while !container.isAtEnd { children.append(try container.decode(Tree.self)) }
            self.children = children
        }

        init() { children = [] }
    }

    @Test func aKeyRefusesAValueThatIsTooDeepToDecode() async throws {
        let deep = try await SmallStack.run {
            var value: SettingValue = []
            for _ in 1..<128 { value = [value] }
            let config = ActiveConfig.make(configuration: .make(sections: ["S": ["x": value]]))
            let tree = config[SettingKey("S", "x", default: Tree())]
            let whole = config[SettingKey("S", "x", default: SettingValue.null)]
            return (tree == Tree(), whole == value, config.problems.map(\.reason))
        }
        #expect(deep.0 && deep.1)
        #expect(
            deep.2 == [
                "is an array, which cannot be read as Tree: in 0"
                    + String(repeating: ".0", count: 96)
                    + ": Arrays and objects are nested deeper than 96; flatten the value"
            ])
    }
}
