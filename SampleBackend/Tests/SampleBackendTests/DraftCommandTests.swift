import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

/// `sample-backend draft` with a draft that the console stored.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct DraftCommandTests {
    private let folder: TemporaryFolder
    private let backend: RunningBackend

    /// Starts a server with version 1 and a draft of the commands' token.
    init() async throws {
        folder = try TemporaryFolder()
        backend = try await RunningBackend(store: folder.store, ["--log-level", "error"])
        let file = try folder.write(AdministrationTarget.templateText(title: "one"), to: "1.json")
        let published = try await run("publish", file)
        #expect(published.exitCode == 0, "\(published)")
        let template = AdministrationTarget.templateText(title: "two")
        let answer = try await HTTPConnection.answer(
            port: backend.port, method: "PUT", target: "/v1/projects/default/draft",
            fields: ["Authorization: Bearer \(RunningBackend.token)", "If-None-Match: *"],
            body: #"{"baseVersion": "1", "template": \#(template)}"#)
        #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    }

    private func run(_ arguments: String...) async throws -> CommandRun {
        try await CommandRun(
            arguments + ["--server", backend.url],
            environment: ["ACTIVECONFIG_TOKEN": RunningBackend.token])
    }

    @Test func theDraftIsShownAndCompared() async throws {
        let shown = try await run("draft", "show")
        #expect(shown.exitCode == 0, "\(shown)")
        #expect(try shown.json["version"] == ["versionNumber": "1"])
        #expect(shown.output.contains("two for three"), "\(shown)")
        let diff = try await run("draft", "diff")
        #expect(diff.output.contains("~ Home.title"), "\(diff)")
        #expect(diff.output.contains(#"- defaultValue: "one""#), "\(diff)")
        #expect(diff.output.contains(#"+ defaultValue: "two""#), "\(diff)")
        let json = try await run("draft", "diff", "--json").json
        #expect(json["parameters"]?.arrayValue?.first?["key"] == "title")
        _ = await backend.stop()
    }

    @Test func theDraftIsPublishedAndEnds() async throws {
        let published = try await run("draft", "publish", "--description", "the second")
        #expect(published.exitCode == 0, "\(published)")
        #expect(published.output == "Published version 2 of default.")
        let current = try await run("get").json
        #expect(current["version"]?["description"] == "the second")
        #expect(current.description.contains("two for three"))
        for command in ["show", "diff", "publish", "discard"] {
            #expect(try await run("draft", command).exitCode == 4)
        }
        _ = await backend.stop()
    }

    @Test func aDraftThatRemovesMostSettingsNeedsYes() async throws {
        let discarded = try await run("draft", "discard")
        #expect(discarded.exitCode == 0)
        let answer = try await HTTPConnection.answer(
            port: backend.port, method: "PUT", target: "/v1/projects/default/draft",
            fields: ["Authorization: Bearer \(RunningBackend.token)", "If-None-Match: *"],
            body: #"{"baseVersion": "1", "template": {"parameters": {}}}"#)
        #expect(answer.status == 200)
        let refused = try await run("draft", "publish")
        #expect(refused.exitCode == 1 && refused.error.contains("--yes"), "\(refused)")
        #expect(try await run("draft", "show").exitCode == 0)
        #expect(try await run("draft", "publish", "--yes").exitCode == 0)
        _ = await backend.stop()
    }

    @Test func aDraftOfAnOlderVersionIsNotPublished() async throws {
        let file = try folder.write(AdministrationTarget.templateText(title: "x"), to: "x.json")
        #expect(try await run("publish", file, "--force").exitCode == 0)
        let published = try await run("draft", "publish")
        #expect(published.exitCode == 3, "\(published)")
        #expect(published.error.contains("based on version 1"), "\(published)")
        #expect(published.error.contains("draft diff"), "\(published)")
        #expect(!published.error.contains("If-Match"), "\(published)")
        #expect(try await run("draft", "show").exitCode == 0)
        let discarded = try await run("draft", "discard")
        #expect(discarded.output == "The draft is discarded.")
        #expect(try await run("draft", "show").exitCode == 4)
        _ = await backend.stop()
    }
}
