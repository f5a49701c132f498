import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Reads of keys of each type, also for values of another type.
@Suite(.onOneThread)
struct SettingTypesTests {
    @Test(arguments: SettingTypeCase.all)
    func aKeyReadsItsTypeOrGivesItsDefault(row: SettingTypeCase) {
        let settings: ActiveConfigSection = row.value.map { ["x": $0] } ?? [:]
        let fixture = CoordinatorFixture.make(
            store: InMemoryStore(bootstrap: .state(.make(sections: ["S": settings]))))
        let config = fixture.config

        #expect(row.isRead(config))
        let problems = row.reason.map {
            [SettingProblem(SettingPath("S", "x"), reason: $0)]
        }
        #expect(config.diagnostics.problems == problems ?? [])
        #expect(
            fixture.log.messages(ofLevel: .warning)
                == (row.reason.map {
                    ["The setting 'S.x' \($0). The next lower value, or else the default, is used."]
                } ?? []))
    }

    /// The last of duplicate keys in a document counts (FORMAT 1.3).
    @Test(arguments: [
        Row("the last one is right", #""x":{"value":"wrong"},"x":{"value":5}"#, 5),
        Row("the last one is wrong", #""x":{"value":5},"x":{"value":"wrong"}"#, -1),
    ])
    func aDuplicateCountsAsItsLastOccurrence(row: Row<String, Int>) throws {
        let text = DocumentText.make(sections: #"{"S":{"settings":{\#(row.input)}}}"#)
        let config = ActiveConfig.make(configuration: try DocumentText.read(text))
        #expect(config[SettingKey("S", "x", default: -1)] == row.expected)
        #expect(config.diagnostics.problems.count == (row.expected == 5 ? 0 : 1))
    }

    /// They are read or refused, but not quoted in a problem.
    @Test(
        .timeLimit(.minutes(Rounds.minutes)),
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
        #expect(config.diagnostics.problems.count == 1)
        for problem in config.diagnostics.problems { #expect(problem.description.utf8.count < 300) }
    }

    /// Tree as deep as the value.
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
            return (tree == Tree(), whole == value, config.diagnostics.problems.map(\.reason))
        }
        #expect(deep.0 && deep.1)
        #expect(
            deep.2 == [
                "is an array, which cannot be read as Tree: in 0"
                    + String(repeating: ".0", count: 96)
                    + ": Arrays and objects are nested deeper than 96; flatten the value"
            ])
    }

    /// Counts its reads.
    private struct Counted: SettingConvertible {
        static let count = Locked(0)

        init?(settingValue: SettingValue) {
            Self.count.withLock { $0 += 1 }
            return nil
        }
    }

    /// As with a poll that returns nothing new, or a change in another section.
    @Test func whatIsUnchangedIsDecodedAndReportedOnce() async throws {
        let document = ConfigurationState.make(sections: ["S": ["x": "a"], "T": ["t": 1]])
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { $0.number == 1 ? .unchanged : .configuration(document) },
            store: InMemoryStore(bootstrap: .state(document)), overrides: .settable)
        let config = fixture.config
        let key = SettingKey<Counted?>("S", "x", default: nil)
        for _ in 1...3 {
            _ = config[key]
            #expect(config.diagnostics.problems.count == 1)
            try await config.downloadNewConfig()
            #expect(config.diagnostics.problems.count == 1)
            config.overrides.set(1, for: SettingPath("Other", "y"))
        }
        #expect(Counted.count.withLock { $0 } == 1)
        #expect(fixture.log.messages(ofLevel: .warning).count { $0.contains("S.x") } == 1)
        config.overrides.set(1, for: SettingPath("S", "y"))
        _ = config[key]
        #expect(Counted.count.withLock { $0 } == 2)
    }

    /// The sender controls the length and the contents of a text.
    @Test func aProblemIsShortAndOneLine() {
        enum Mode: String, Codable, Sendable { case a }
        let text =
            "bad\nActiveConfig error: forged\u{2028}\u{202E}"
            + String(repeating: "x", count: 1_000_000)
        let fixture = CoordinatorFixture.make(
            store: InMemoryStore(
                bootstrap: .state(.make(sections: ["S\n": ["x": .string(text)]]))))
        let config = fixture.config
        _ = config[SettingKey("S\n", "x", default: Mode.a)]
        let texts =
            config.diagnostics.problems.map(\.description) + fixture.log.messages(ofLevel: .warning)
            + [
                config.diagnostics.explain(SettingKey("S\n", "x", default: Mode.a)).description
            ]
        #expect(texts.count == 3)
        for text in texts.prefix(2) {
            #expect(text.utf8.count < 1_000, "\(text.utf8.count)")
        }
        for text in texts {
            #expect(!text.unicodeScalars.contains { ["\n", "\u{2028}", "\u{202E}"].contains($0) })
        }
        #expect(!config.diagnostics.report().description.contains("\nActiveConfig"))
    }
}
