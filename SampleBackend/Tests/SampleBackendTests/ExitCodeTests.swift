import ChildProcesses
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
    func theExitCodeReportsAMissingResource(kind: AdministrationTarget.Kind) async throws {
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
        #expect(run.error.contains("(the TLS handshake failed)"), "\(run)")
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
        NamedRow("an unreachable server", ["--server", "http://127.0.0.1:1"]),
        NamedRow("a missing database", ["--store", "sqlite:/nowhere/x.sqlite"]),
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

    static let misspelt: [NamedRow<(arguments: [String], advice: String)>] = [
        .init("a command", (["pubish", "x"], "did you mean publish?")),
        .init("a command behind help", (["help", "verions"], "did you mean versions?")),
        .init("a subcommand", (["tokens", "creat", "--name", "x"], "did you mean create?")),
        .init("a subcommand behind help", (["help", "draft", "publih"], "did you mean publish?")),
        .init("no command", (["help", "nonsense"], "There is no command \"nonsense\"")),
        .init("a long word", ([String(repeating: "x", count: 9_000)], "see --help")),
    ]

    @Test(arguments: misspelt)
    func aMisspeltCommandIsRefusedWithTheNearestOne(
        row: NamedRow<(arguments: [String], advice: String)>
    ) async throws {
        let run = try await CommandRun(row.value.arguments)
        #expect(run.exitCode == 64, "\(run)")
        #expect(run.error.contains(row.value.advice), "\(run)")
        #expect(run.error.count < 2_000)
    }

    @Test(arguments: [["help"], ["help", "publish"], ["help", "tokens", "create"]])
    func helpOfACommandIsPrinted(arguments: [String]) async throws {
        let run = try await CommandRun(arguments)
        #expect(run.exitCode == 0, "\(run)")
        #expect(run.output.contains("USAGE: sample-backend"), "\(run)")
    }

    @Test func anOutputFileKeepsItsPermissionsAndLinks() async throws {
        let folder = try TemporaryFolder()
        let source = try folder.write(#"{"parameters": {}}"#, to: "source.json")
        let file = try folder.write("old", to: "private.json")
        let files = FileManager.default
        try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let link = folder.path("link.json")
        try files.createSymbolicLink(atPath: link, withDestinationPath: file)
        for path in [file, link, "/dev/null"] {
            let run = try await CommandRun(["import", "firebase", source, "--output", path])
            #expect(run.exitCode == 0, "\(run)")
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("parameters"))
        #expect(
            try files.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        #expect(
            try files.attributesOfItem(atPath: link)[.type] as? FileAttributeType
                == .typeSymbolicLink)
        #expect(
            try files.attributesOfItem(atPath: "/dev/null")[.type] as? FileAttributeType
                == .typeCharacterSpecial)
    }

    #if os(Linux)
        @Test func outputThatCannotBeWrittenIsAFailure() async throws {
            let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
            let process = Process()
            process.executableURL = try BackendProcess.executable()
            process.arguments = ["import", "firebase", "-"]
            let input = Pipe.alone()
            process.standardInput = input
            process.standardOutput = full
            let errors = Pipe.alone()
            process.standardError = errors
            try process.runAlone()
            try input.fileHandleForWriting.write(contentsOf: Data(#"{"parameters": {}}"#.utf8))
            try input.fileHandleForWriting.close()
            let text = try errors.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            #expect(process.terminationStatus == 74)
            #expect(String(decoding: text, as: UTF8.self).contains("Standard output"))
        }
    #endif

    @Test func theVersionIsTheNewestOfTheChangelog() async throws {
        let run = try await CommandRun(["--version"])
        #expect(run.exitCode == 0, "\(run)")
        let path = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../CHANGELOG.md")
        let newest = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
            .first { $0.hasPrefix("## ") }
        #expect(newest?.hasPrefix("## \(run.output)") == true, "\(run)")
        #expect(run.output.split(separator: ".").count == 3, "\(run)")
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func whatOnlyTheServerRefusesIsAWrongCommandLineToo(
        kind: AdministrationTarget.Kind
    ) async throws {
        let target = try await AdministrationTarget(kind)
        #expect(try await target.run("publish", target.template()).exitCode == 0)
        for arguments in [
            ["rollback", "0"], ["webhooks", "add", "ftp://a"],
            ["projects", "set", "--color", "brown"],
        ] {
            let run = try await target.run(arguments)
            #expect(run.exitCode == 64, "\(run)")
        }
        let list = try target.folder.write("nonsense", to: "values.json")
        #expect(try await target.run("overrides", "set", "1", list).exitCode == 65)
    }

    @Test func aWrongServerOfTheEnvironmentIsNamedByItsVariable() async throws {
        for (server, code) in [("http://127.0.0.1:1", 69), ("nonsense", 64)] as [(String, Int32)] {
            let run = try await CommandRun(["get"], environment: ["ACTIVECONFIG_SERVER": server])
            #expect(run.exitCode == code, "\(run)")
            #expect(run.error.contains("ACTIVECONFIG_SERVER"), "\(run)")
            #expect(!run.error.contains("check --server"), "\(run)")
        }
    }

    @Test func theHelpDocumentsTheExitCodes() async throws {
        let help = try await CommandRun(["--help"])
        #expect(help.exitCode == 0)
        let words = help.output.split(whereSeparator: \.isWhitespace)
        for code in ["0", "1", "2", "3", "4", "5", "64", "65", "69", "74", "130", "141"] {
            #expect(words.contains { $0 == code }, "\(help)")
        }
        #expect(help.output.contains("--generate-completion-script"))
    }

    @Test func theHelpOfGetHasItsVersionOnce() async throws {
        let help = try await CommandRun(["get", "--help"])
        let options = help.output.split(separator: "\n").filter {
            $0.trimmingCharacters(in: .whitespaces).hasPrefix("--version")
        }
        #expect(options.count == 1, "\(help)")
    }

    @Test(arguments: ["backup", "raise-versions", "serve"])
    func theHelpNamesTheDefaultStore(command: String) async throws {
        let help = try await CommandRun([command, "--help"])
        let words = help.output.split(whereSeparator: \.isWhitespace)
        #expect(words.contains { $0.contains("sqlite:activeconfig.sqlite") }, "\(help)")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func theProgramWritesACompletionScript(shell: String) async throws {
        let run = try await CommandRun(["--generate-completion-script", shell])
        #expect(run.exitCode == 0)
        #expect(run.output.contains("publish"))
    }
}
