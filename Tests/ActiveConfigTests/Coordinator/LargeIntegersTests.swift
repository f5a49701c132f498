import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigRealtime

/// Changes, stores and problems keep the digits of integers beyond 64 bits.
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

    @Test func otherDigitsMakeAnotherSection() throws {
        let first = try Self.document()
        #expect(first == (try Self.document()))
        #expect(first.hashValue == (try Self.document()).hashValue)
        for value in [Self.otherDigits, "1.2345678901234567e+19", "[\(Self.digits)]"] {
            let second = try Self.document(value)
            #expect(first != second)
            let change = SectionChange(
                sectionName: "Home", old: first["Home"], new: second["Home"], reason: .downloaded)
            #expect(change.changedKeys == ["limit"])
            #expect(change.addedKeys == [] && change.removedKeys == [])
        }
        #expect(first["Other"] == (try Self.document(Self.otherDigits))["Other"])
    }

    @Test(arguments: [false, true])
    func otherDigitsNotify(isLayered: Bool) async throws {
        let values = [
            Self.digits, Self.digits, Self.otherDigits, "1.2345678901234567e+19",
            "[\(Self.digits)]",
            "[\(Self.otherDigits)]",
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
        #expect(changed == [["Home", "Other"], [], ["Home"], ["Home"], ["Home"], ["Home"]])
        #expect(listener.deliveries.count == (isLayered ? 6 : 5))
    }

    @Test func anOverrideCoversTheDigits() async throws {
        let documents = [try Self.document(), try Self.document(Self.otherDigits)]
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { .configuration(documents[$0.number - 1]) }, overrides: .settable)
        fixture.config.overrides.set(.double(Self.nearest), for: SettingPath("Home", "limit"))
        try await fixture.config.downloadNewConfig()
        let result = try await fixture.config.downloadNewConfig()
        #expect(result.changedSectionNames == [])
        #expect(fixture.config.currentConfiguration == documents[1])
    }

    @Test func aPushedChangeKeepsTheDigits() throws {
        let data = """
            {"template_version": 2, "etag": "b", "meta": {}, "sections": {
                "Home": {"settings": {"limit": {"value": [\(Self.digits)]}}}, "Other": null}}
            """
        let update = try PushedUpdate(Array(data.utf8), limits: .default)
        let home = try #require(update.sections["Home"])
        #expect(home == (try Self.document("[\(Self.digits)]"))["Home"])
        #expect(home != (try Self.document("[\(Self.otherDigits)]"))["Home"])
        #expect(update.sections["Other"] == .some(nil))
        #expect(update.sections.count == 2)
    }

    @Test func usersWithOtherDigitsShareNoSection() throws {
        let pool = SectionPool()
        let sections = try [Self.digits, Self.otherDigits, Self.digits].flatMap { digits in
            // One was read from text, the other has no digits of its own.
            let read = try #require(try Self.document(digits)["Home"])
            let data = """
                {"template_version": 2, "etag": "b", "meta": {}, "sections": {
                    "Home": {"settings": {"limit": {"value": \(digits)}}}}}
                """
            let pushed = try PushedUpdate(Array(data.utf8), limits: .default)
            return [read, try #require(pushed.sections["Home"] ?? nil)]
        }
        let shared = sections.map { pool.shared($0) }
        #expect(shared == sections)
        #expect(shared[0] != shared[2] && shared[1] != shared[3])
        #expect(shared[4].table === shared[0].table && shared[5].table === shared[1].table)
    }

    @Test(arguments: [false, true])
    func aStoreKeepsTheDigitsAndNamesThemOnce(isPending: Bool) async throws {
        let folder = TemporaryFolder()
        let store = FileDefaultsStore(directory: folder.url)
        let text = """
            {"Home": {"settings": {"limit": {"value": [\(Self.digits)]}, "title": "x"}},
             "Text": 1}
            """
        let document = try DocumentText.read(DocumentText.make(sections: text))
        let problems = document.problems
        #expect(problems.map(\.name) == ["limit", "title", ""])
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

    /// `Codable`, as an app's own downloader may use it, keeps only doubles.
    @Test func aSignedDocumentThatWasDecodedHasTheSignedDigits() async throws {
        let body = Data(
            #"""
            {"meta":{"template_version":12},
             "config_sections":{"S":{"settings":{"k":{"value":12345678901234567890}}}}}
            """#.utf8)
        var state = try JSONDecoder().decode(ConfigurationState.self, from: body)
        state.entityTag = "\"12\""
        state.original = OriginalDocument(
            body: body, signature: SigningServer.field(body, version: 12),
            entityTag: state.entityTag)
        let config = SigningServer().config(
            ScriptedDownloader(.configuration(state)), store: InMemoryStore())
        try await config.downloadNewConfig()
        let text = String(decoding: config.currentConfiguration.jsonData(), as: UTF8.self)
        #expect(text.contains("12345678901234567890"))
    }
}
