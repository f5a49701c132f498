import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigRealtime

/// Changes and stores have the nearest double of an integer beyond 64 bits; problems name it.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct LargeIntegersTests {
    private static let digits = "12345678901234567890"
    /// These digits round to the same double.
    private static let otherDigits = "12345678901234567891"
    private static let nearest = 12_345_678_901_234_567_890.0

    private static func document(
        _ value: String = digits, other: String = "1"
    ) throws -> ConfigurationState {
        try DocumentText.read(
            DocumentText.make(
                sections: """
                    {"Home": {"settings": {"limit": {"value": \(value)}}},
                     "Other": {"settings": {"limit": {"value": \(other)}}}}
                    """))
    }

    @Test func digitsOfOneDoubleMakeOneSection() throws {
        let first = try Self.document()
        for value in [Self.digits, Self.otherDigits, "1.2345678901234567e+19"] {
            let second = try Self.document(value)
            #expect(first == second && first.hashValue == second.hashValue)
            let change = SectionChange(
                sectionName: "Home", old: first["Home"], new: second["Home"], reason: .downloaded)
            #expect(
                change.changedKeys == []
                    && !ActiveConfigSection.isChange(
                        from: first["Home"], to: second["Home"])
            )
        }
        let second = try Self.document("[\(Self.digits)]")
        #expect(first != second)
        let change = SectionChange(
            sectionName: "Home", old: first["Home"], new: second["Home"], reason: .downloaded)
        #expect(change.changedKeys == ["limit"])
    }

    @Test(arguments: [false, true])
    func onlyAnotherDoubleNotifies(isLayered: Bool) async throws {
        let values = [
            Self.digits, Self.digits, Self.otherDigits, "1.2345678901234567e+19",
            "[\(Self.digits)]", "[\(Self.otherDigits)]",
        ]
        let documents = try values.map { try Self.document($0) }
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { .configuration(documents[$0.number - 1]) }, overrides: .settable)
        if isLayered {
            fixture.config.setDefaults(["Home": ["columns": 1]])
            fixture.config.overrides.set(2, for: SettingPath("Home", "rows"))
        }
        let listener = fixture.listener()
        var changed: [Set<String>] = []
        for _ in documents {
            changed.append(try await fixture.config.downloadNewConfig().changedSectionNames)
        }
        fixture.drain()
        #expect(changed == [["Home", "Other"], [], [], [], ["Home"], []])
        #expect(listener.deliveries.count == (isLayered ? 3 : 2))
    }

    @Test func aPushedChangeNamesThem() throws {
        let data = """
            {"template_version": 2, "etag": "b", "meta": {"n": \(Self.digits)}, "sections": {
                "Home": {"settings": {"limit": {"value": [\(Self.digits)]}}}, "Other": null}}
            """
        let update = try PushedUpdate(Array(data.utf8), limits: .default)
        let read = try Self.document("[\(Self.digits)]")
        let home = try #require(update.sections["Home"] ?? nil)
        #expect(home == read["Home"])
        #expect(ConfigurationState.make(sections: ["Home": home]).problems == read.problems)
        #expect(update.meta == ["n": .double(Self.nearest)])
        #expect(update.sections["Other"] == .some(nil))
        #expect(update.sections.count == 2)
    }

    @Test(arguments: [
        "[]", "1", "{}", #"{"template_version": 2, "etag": "b", "meta": {}, "sections": []}"#,
        #"{"template_version": 2, "etag": "b", "meta": {}, "sections": {}, "sections": 1}"#,
    ])
    func aPushedChangeThatIsNoneIsRefused(text: String) {
        #expect(throws: ConfigurationFormatError.self) {
            try PushedUpdate(Array(text.utf8), limits: .default)
        }
    }

    /// Of members with one name the last counts (FORMAT 1.3); sections have the format's shape.
    @Test func aPushedChangeReadsSectionsAsADocumentDoes() throws {
        let data = """
            {"template_version": 2, "etag": "b", "meta": {}, "sections": {"A": null},
             "sections": {"A": null, "A": {"settings": {"x": {"value": 1}, "x": null}},
                          "B": {"settings": {}}, "B": "gone", "C": {}}}
            """
        let update = try PushedUpdate(Array(data.utf8), limits: .default)
        #expect(
            update.sections == ["A": ActiveConfigSection(), "B": nil, "C": ActiveConfigSection()])
        let sections = update.sections.compactMapValues { $0 }
        #expect(ConfigurationState.make(sections: sections).problems.map(\.name) == ["x", ""])
    }

    /// A section is shared only with the same problems.
    @Test func usersWithOtherDigitsShareNoSection() throws {
        let pool = SectionPool()
        let values = [Self.digits, Self.otherDigits, Self.digits, "1.2345678901234567e+19"]
        let sections = try values.flatMap { value in
            let read = try #require(try Self.document("[\(value), \(value)]")["Home"])
            let data = """
                {"template_version": 2, "etag": "b", "meta": {}, "sections": {
                    "Home": {"settings": {"limit": {"value": [\(value), \(value)]}}}}}
                """
            let pushed = try PushedUpdate(Array(data.utf8), limits: .default)
            return [read, try #require(pushed.sections["Home"] ?? nil)]
        }
        let shared = sections.map { pool.shared($0) }
        #expect(shared == sections)
        for number in shared.indices {
            let problems = ConfigurationState.make(sections: ["Home": sections[number]]).problems
            #expect(
                ConfigurationState.make(sections: ["Home": shared[number]]).problems == problems)
            #expect(problems.count == (number < 6 ? 1 : 0))
        }
        #expect(shared[1].table === shared[0].table)
        #expect(shared[4].table === shared[0].table && shared[5].table === shared[0].table)
    }

    @Test(arguments: [false, true])
    func aStoreKeepsTheProblemsAndNamesThemOnce(isPending: Bool) async throws {
        let folder = TemporaryFolder()
        let store = FileDefaultsStore(directory: folder.url)
        let text = """
            {"Home": {"settings": {"limit": {"value": [\(Self.digits)]}, "title": "x"}},
             "Text": 1}
            """
        let document = try DocumentText.read(DocumentText.make(sections: text))
        let problems = document.problems
        #expect(problems.map(\.name) == ["limit", "title", ""])
        let masked = document.problems { _ in true }
        #expect(masked.first?.reason.hasPrefix("has an integer that") == true)
        if isPending {
            try store.persistPendingConfiguration(document, forUserID: "1")
        } else {
            try store.persistConfiguration(document, forUserID: "1")
        }
        for _ in 1...2 {
            let reopened = FileDefaultsStore(directory: folder.url)
            let stored = try #require(
                isPending
                    ? reopened.pendingConfiguration(forUserID: "1")
                    : reopened.ownConfiguration(forUserID: "1"))
            #expect(stored == document && stored.jsonData() == document.jsonData())
            #expect(stored.problems == problems)
            #expect(stored.problems { _ in true } == masked)
            try reopened.persistConfiguration(stored, forUserID: "1")
        }
    }

    private static let reason =
        "the integer \(digits), which does not fit 64 bits and is read as the nearest double; send it "
        + "as a string"

    @Test func aDownloadsAreNamedOnceADocument() async throws {
        let documents = [
            try Self.document(other: "[1, {\"a\": \(Self.digits)}]"),
            try Self.document(other: "[1, {\"a\": \(Self.digits)}]"),
            try Self.document(Self.otherDigits),
        ]
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { .configuration(documents[$0.number - 1]) })
        var counts: [Int] = []
        for number in 1...3 {
            try await fixture.config.downloadNewConfig()
            counts.append(fixture.log.messages(ofLevel: .warning).count)
            guard number == 1 else { continue }
            let expected = [
                "The setting 'Home.limit' is \(Self.reason).",
                "The setting 'Other.limit' has \(Self.reason).",
            ]
            #expect(fixture.config.diagnostics.problems.map(\.description) == expected)
            #expect(
                fixture.config.diagnostics.report().problems == fixture.config.diagnostics.problems)
            let warning = try #require(fixture.log.messages(ofLevel: .warning).first)
            #expect(warning.hasSuffix(expected.joined(separator: " ")))
        }
        #expect(counts == [1, 1, 2])
    }

    @Test func theDigitsInAProblemAreBounded() throws {
        let digits = "1" + String(repeating: "7", count: 308)
        let state = try Self.document(digits)
        let shown = digits.prefix(40) + "…"
        #expect(state.problems.first?.reason.hasPrefix("is the integer \(shown), which") == true)
    }

    @Test func theDigitsOfASecretAreMasked() async throws {
        let bootstrap = InMemoryStore(
            bootstrap: .state(try Self.document(other: "[\(Self.digits)]")))
        let document = try Self.document(Self.digits, other: "[0, \(Self.digits)]")
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.configuration(document)), store: bootstrap)
        let config = fixture.config
        config.diagnostics.markSecret(SettingPath("Home", "limit"))
        config.diagnostics.markSecret(SettingPath("Other", "limit"))
        // A store logs the problems of a bootstrap without knowing which settings are secret.
        #expect(config.diagnostics.problems.count == 2)
        try await config.downloadNewConfig()
        config.setDefaults(document.sections)
        #expect(
            config.diagnostics.problems.map(\.reason)
                == ["is", "has"].map {
                    "\($0) an integer that does not fit 64 bits and is read as the nearest double; send it "
                        + "as a string"
                })
        #expect(config.diagnostics.report().problems == config.diagnostics.problems)
        let warnings = fixture.log.messages(ofLevel: .warning)
        #expect(warnings.count == 2)
        #expect(!warnings.joined().contains(Self.digits))
        #expect(
            fixture.log.messages(ofLevel: .warning).allSatisfy { $0.contains("'Home.limit' is") })
    }

    @Test func thereAreAtMost50Problems() throws {
        let settings = (0..<1_000).map { "\"s\($0)\": {\"value\": \(Self.digits)}" }
        let sections = (0..<100).map {
            "\"S\($0)\": \($0 == 0 ? "{\"settings\": {\(settings.joined(separator: ","))}}" : "1")"
        }
        let state = try DocumentText.read(
            DocumentText.make(sections: "{\(sections.joined(separator: ","))}"))
        let names = (0..<1_000).map { "s\($0)" }.sorted().prefix(50)
        #expect(state.problems.map(\.name) == Array(names))
        var other = state
        other.sections["S0"] = nil
        let others = (1..<100).map { "S\($0)" }.sorted().prefix(50)
        #expect(other.problems.map(\.path.sectionName) == Array(others))
    }

    /// `Codable`, as an app's own downloader may use it, has no digits to compare.
    @Test func aSignedDocumentThatWasDecodedIsAcceptedAndNamesThem() async throws {
        let body = Data(
            #"""
            {"meta":{"template_version":12},
             "config_sections":{"S":{"settings":{"k":{"value":12345678901234567890}}}}}
            """#.utf8)
        var state = try JSONDecoder().decode(ConfigurationState.self, from: body)
        #expect(state.problems == [])
        state.entityTag = "\"12\""
        state.original = OriginalDocument(
            body: body, signature: SigningServer.field(body, version: 12),
            entityTag: state.entityTag)
        let folder = TemporaryFolder()
        let config = SigningServer().config(
            ScriptedDownloader(.configuration(state)),
            store: FileDefaultsStore(directory: folder.url))
        try await config.downloadNewConfig()
        #expect(config["S"]?["k"] == .double(Self.nearest))
        #expect(config.diagnostics.problems.map(\.name) == ["k"])
        // The stored bytes are the signed ones, digits included.
        let stored = FileDefaultsStore(directory: folder.url).ownConfiguration(forUserID: "1")
        #expect(stored?.original?.body == body)
        #expect(stored?.problems == config.diagnostics.problems)
    }
}
