import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Sections and settings whose shape differs from the format's (FORMAT 3.2, 3.3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ShapeProblemTests {
    private static let sections = """
        {
            "Home": {
                "settings": {
                    "columns": {"value": 3}, "title": "Hello", "isOn": {"default": true},
                    "twice": 1, "twice": {"value": 2}, "last": {"value": 1}, "last": null
                }
            },
            "None": {"values": {}}, "List": {"settings": []}, "Text": "x"
        }
        """
    private static let descriptions = [
        "The setting 'Home.isOn' has no \"value\", so it is left out.",
        "The setting 'Home.last' is null where {\"value\": …} is expected, so it is left out.",
        "The setting 'Home.title' is a string where {\"value\": …} is expected, so it is left out.",
        "The section 'List' has \"settings\" that are an array, not an object.",
        "The section 'None' has no \"settings\".",
        "The section 'Text' is a string where an object with \"settings\" is expected.",
    ]

    private static func document(_ sections: String = sections) throws -> ConfigurationState {
        try DocumentText.read(DocumentText.make(sections: sections))
    }

    @Test func theBootstrapsAreNamedInTheLogInProblemsAndInTheReport() throws {
        let fixture = CoordinatorFixture.make(
            store: InMemoryStore(bootstrap: .state(try Self.document())))
        let config = fixture.config
        #expect(config["Home"] == .make(["columns": 3, "twice": 2]))
        #expect(config.diagnostics.problems.map(\.description) == Self.descriptions)
        #expect(config.diagnostics.report().problems == config.diagnostics.problems)
        #expect(
            config.configuration(forUserID: "1").diagnostics.problems == config.diagnostics.problems
        )
        let warnings = fixture.log.messages(ofLevel: .warning)
        #expect(warnings.count == 1)
        for description in Self.descriptions {
            #expect(warnings.first?.contains(description) == true)
        }
    }

    @Test func aDownloadsAreNamedOnceADocument() async throws {
        let other = #"{"Home": {"settings": {"columns": 3}}}"#
        let documents = [try Self.document(), try Self.document(), try Self.document(other)]
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { .configuration(documents[$0.number - 1]) })
        var counts: [Int] = []
        for _ in documents {
            try await fixture.config.downloadNewConfig()
            counts.append(fixture.log.messages(ofLevel: .warning).count)
        }
        #expect(counts == [1, 1, 2])
        #expect(fixture.config.diagnostics.problems.map(\.name) == ["columns"])
    }

    @Test func aStoreKeepsThem() async throws {
        let folder = TemporaryFolder()
        let document = try Self.document()
        for _ in 1...2 {
            let fixture = CoordinatorFixture.make(
                ScriptedDownloader(.configuration(document)),
                store: FileDefaultsStore(directory: folder.url))
            if fixture.config["Home"] == nil { try await fixture.config.downloadNewConfig() }
            #expect(fixture.config.diagnostics.problems.map(\.description) == Self.descriptions)
        }
    }

    @Test func everyWayOfReadingADocumentNamesThem() throws {
        let text = Data(DocumentText.make(sections: Self.sections).utf8)
        let document = try ConfigurationState(jsonData: text)
        let expected = document.problems
        #expect(expected.map(\.description) == Self.descriptions)
        let any = try JSONSerialization.jsonObject(with: text) as? [String: Any]
        #expect(try ConfigurationState(dictionary: any ?? [:]).problems.count == expected.count)
        let decoded = try JSONDecoder().decode(ConfigurationState.self, from: text)
        // Of members with the same name, Foundation takes the first.
        let names = ["twice", "last"]
        #expect(
            decoded.problems.filter { !names.contains($0.name) }
                == expected.filter { !names.contains($0.name) })
        // Problems do not affect equality.
        #expect(try ConfigurationState(jsonData: document.jsonData()) == document)
        #expect(try ConfigurationState(jsonData: document.jsonData()).problems == [])
        var other = document
        other.sections["Home"] = .make(["columns": 1])
        #expect(other.problems == expected.filter { $0.path.sectionName != "Home" })
    }

    @Test func thereAreAtMost50() throws {
        let settings = (0..<5_000).map { "\"s\($0)\": 1" }.joined(separator: ",")
        let sections = (0..<3).map { "\"S\($0)\": {\"settings\": {\(settings)}}" }
        let document = try Self.document("{\(sections.joined(separator: ","))}")
        #expect(document.problems.count == 50)
        #expect(document.problems.allSatisfy { $0.path.sectionName == "S0" })
    }

    /// A document must not spend memory on problems that are not kept, nor much time on finding the
    /// first one.
    @Test(arguments: [
        #"{"settings": {"s": 1}}"#, #"{"settings": {"s": {}}}"#, #"{"settings": 1}"#, "{}", "1",
        #"{"settings": {\#((0..<50).map { "\"s\($0)\": \($0)" }.joined(separator: ","))}}"#,
    ])
    func aDocumentKeepsAtMost1000HoweverItIsRead(section: String) throws {
        let sections = (0..<2_000).map { "\"S\($0)\": \(section)" }.joined(separator: ",")
        let text = Data(DocumentText.make(sections: "{\(sections)}").utf8)
        let any = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
        for document in [
            try ConfigurationState(jsonData: text), try ConfigurationState(dictionary: any),
            try JSONDecoder().decode(ConfigurationState.self, from: text),
        ] {
            #expect(document.problems.count == 50)
            let kept = document.sections.values.reduce(0) { $0 + $1.table.shapeProblems.count }
            #expect((50...1_000).contains(kept))
        }
    }

    @Test func aBootstrapIsFoundInABundleByItsName() throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        try Data(DocumentText.make().utf8).write(to: folder.file("Initial.json"))
        let bundle = try #require(Bundle(url: folder.url))
        for name in ["Initial", "Initial.json"] {
            let store = InMemoryStore(bootstrap: .resource(name, in: bundle))
            #expect(CoordinatorFixture.make(store: store).config["S"] == .make(["k": 1]))
        }
        let absent = CoordinatorFixture.make(
            store: InMemoryStore(bootstrap: .resource("Other.json", in: bundle)))
        for _ in 1...2 { #expect(absent.config["S"] == nil) }
        let errors = absent.log.messages(ofLevel: .error)
        #expect(errors.count == 1 && errors.first?.contains("Other.json is not in") == true)
        #expect(errors.first?.contains("pass `in: .module`") == true)
    }
}
