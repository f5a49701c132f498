import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

/// Exit codes and messages of the administrators' commands.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ExitCodeTests {
    @Test(arguments: AdministrationTarget.Kind.allCases)
    func aPublishNamesEveryProblemOfATemplate(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        let file = try target.folder.write(
            #"""
            {"conditions": [{"name": "bad", "expression": "app.version = 1"}],
             "parameters": {"count": {"valueType": "NUMBER", "defaultValue": {"value": "many"}},
              "title": {"conditionalValues": {"nowhere": {"value": "x"}}}}}
            """#, to: "bad.json")
        let run = try await target.run("publish", file)
        #expect(run.exitCode == 2, "\(run)")
        #expect(run.output.isEmpty)
        for place in [
            "conditions[0].expression, column", "parameters.count", "parameters.title",
        ] {
            #expect(run.error.contains(place), "\(run)")
        }
        let lines = run.error.split(separator: "\n")
        let place = try #require(
            lines.firstIndex { $0.contains("app.version = 1") && !$0.contains(":") })
        #expect(lines[place + 1].trimmingCharacters(in: .whitespaces) == "^", "\(run)")
        #expect(try await target.run("publish", file, "--validate-only").exitCode == 2)
        let json = try await target.run("publish", file, "--json")
        #expect(json.exitCode == 2)
        let failure = try JSONNode(jsonData: Data(json.error.utf8))
        let problems = try #require(failure["problems"]?.arrayValue)
        #expect(problems.count == 3, "\(json)")
        let column = try #require(problems.first?["column"]?.integerValue)
        #expect(lines[place + 1].count == 6 + column, "\(run)")
        #expect(try await target.run("get").exitCode == 4)
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func theExitCodeSaysThatAnotherVersionIsCurrent(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        let file = try target.template(title: "mine", version: 7)
        let run = try await target.run("publish", file)
        #expect(run.exitCode == 3, "\(run)")
        #expect(run.error.contains("nothing is published here"), "\(run)")
        let tag = try await target.run("publish", file, "--if-match", "etag-default-7")
        #expect(tag.exitCode == 3, "\(tag)")
        #expect(try await target.run("publish", file, "--if-match", "*").exitCode == 0)
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func theExitCodeSaysThatThereIsNoSuchThing(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        let runs = [
            try await target.run("get"), try await target.run("versions"),
            try await target.run("rollback", "1"), try await target.run("evaluate"),
            try await target.run("get", "--project", "other"),
        ]
        for run in runs {
            #expect(run.exitCode == 4, "\(run)")
            #expect(run.output.isEmpty && !run.error.isEmpty, "\(run)")
        }
    }

    @Test func theExitCodeSaysThatTheTokenIsMissingOrWrong() async throws {
        let backend = try await RunningBackend(["--dev"])
        for token in [[], ["--token", "acfg_wrong"]] {
            let run = try await CommandRun(
                ["get", "--server", backend.url] + token,
                environment: ["ACTIVECONFIG_TOKEN": "", "ACTIVECONFIG_ADMIN_TOKEN": ""])
            #expect(run.exitCode == 5, "\(run)")
            #expect(!run.error.contains("acfg_wrong"), "\(run)")
            #expect(run.error.contains("--token or ACTIVECONFIG_TOKEN"), "\(run)")
        }
        _ = await backend.stop()
    }

    @Test func aServerWithoutTLSIsNamedInWords() async throws {
        let backend = try await RunningBackend(store: "memory")
        let run = try await CommandRun(["get", "--server", "https://127.0.0.1:\(backend.port)"])
        #expect(run.exitCode == 69, "\(run)")
        #expect(run.error.contains("(TLS could not be agreed on)"), "\(run)")
        _ = await backend.stop()
    }

    @Test func theExitCodeSaysThatTheRoleIsNotEnough() async throws {
        let folder = try TemporaryFolder()
        let backend = try await RunningBackend(store: folder.store, ["--dev"])
        let made = try await CommandRun(
            ["tokens", "create", "--name", "v", "--role", "viewer", "--server", backend.url],
            environment: ["ACTIVECONFIG_TOKEN": RunningBackend.token])
        let viewer = ["--server", backend.url, "--token", made.output]
        #expect(try await CommandRun(["get"] + viewer).exitCode == 0)
        #expect(try await CommandRun(["rollback", "1"] + viewer).exitCode == 5)
        let file = try folder.write(
            AdministrationTarget.templateText(title: "x"), to: "template.json")
        let publish = try await CommandRun(["publish", file, "--force", "--yes"] + viewer)
        #expect(publish.exitCode == 5, "\(publish)")
        let doctor = try await CommandRun(["doctor"] + viewer)
        #expect(doctor.exitCode == 0, "\(doctor)")
        #expect(doctor.output.contains("viewer"), "\(doctor)")
        let log = await backend.stop()
        #expect(!log.contains { $0.contains(made.output) })
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func theExitCodeSaysThatAFileCannotBeUsed(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        let missing = try await target.run("publish", target.folder.path("none.json"))
        #expect(missing.exitCode == 65, "\(missing)")
        #expect(missing.error.contains("none.json"), "\(missing)")
        let broken = try target.folder.write("{\"conditions\": [", to: "broken.json")
        #expect(try await target.run("publish", broken).exitCode == 65)
        #expect(try await target.run("diff", "--file", broken).exitCode != 0)
    }

    @Test(arguments: [
        NamedRow("a server that is not there", ["--server", "http://127.0.0.1:1"]),
        NamedRow("a database that is not there", ["--store", "sqlite:/nowhere/x.sqlite"]),
    ])
    func theExitCodeSaysThatNothingAnswers(row: NamedRow<[String]>) async throws {
        for command in [["get"], ["versions"], ["audit"], ["tokens", "list"]] {
            let run = try await CommandRun(command + row.value)
            #expect(run.exitCode == 69, "\(run)")
            #expect(run.output.isEmpty && !run.error.isEmpty, "\(run)")
        }
    }

    @Test func aCommandMakesNoDatabaseByLookingForOne() async throws {
        let folder = try TemporaryFolder()
        #expect(try await CommandRun(["get", "--store", folder.store]).exitCode == 69)
        #expect(try await CommandRun(["doctor", "--store", folder.store]).exitCode == 1)
        let content = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(content.isEmpty)
    }

    @Test(arguments: [
        ["publish"], ["publish", "x", "--force", "--if-match", "*"], ["diff"], ["rollback", "x"],
        ["diff", "1", "2", "--file", "x"], ["evaluate", "--signal", "novalue"],
        ["get", "--store", "memory"], ["get", "--store", "sqlite:x", "--server", "http://x"],
        ["get", "--server", "nonsense"], ["versions", "--limit", "0"], ["audit", "--limit", "x"],
        ["tokens", "create", "--name", "x"], ["export", "--format", "yaml"],
        ["tokens", "create", "--name", "x", "--role", "king"],
        ["tokens", "create", "--name", "x", "--role", "viewer", "--expires", "soon"],
        ["export", "--format", "swift", "--json"], ["export", "--format", "xml", "--json"],
    ])
    func aWrongCommandLineIsRefused(arguments: [String]) async throws {
        let run = try await CommandRun(arguments)
        #expect(run.exitCode == 64, "\(run)")
        #expect(!run.error.isEmpty)
    }

    @Test func theHelpDocumentsTheExitCodes() async throws {
        let help = try await CommandRun(["--help"])
        #expect(help.exitCode == 0)
        let words = help.output.split(whereSeparator: \.isWhitespace)
        for code in ["0", "1", "2", "3", "4", "5", "64", "65", "69"] {
            #expect(words.contains { $0 == code }, "\(help)")
        }
        #expect(help.output.contains("--generate-completion-script"))
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func theProgramWritesACompletionScript(shell: String) async throws {
        let run = try await CommandRun(["--generate-completion-script", shell])
        #expect(run.exitCode == 0)
        #expect(run.output.contains("publish"))
    }
}
