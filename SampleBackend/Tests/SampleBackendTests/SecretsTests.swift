import ArgumentParser
import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

@testable import SampleBackend

/// No output contains a secret, whatever fails and whatever the log level.
///
/// Disabled under sanitizers: the tests start dozens of processes, whose code other tests cover.
@Suite(.timeLimit(.minutes(Rounds.minutes)), .disabled(if: Sanitizer.isOn))
struct SecretsTests {
    /// Part of every secret in these tests.
    private static let mark = "s3cr3t"

    /// Secret that is long enough for every purpose.
    private static func secret(_ name: String) -> String {
        "\(mark)-\(name)-0123456789abcdef0123456789abcdef"
    }

    /// Environment variables, each with a secret.
    private static let environment = [
        "ACTIVECONFIG_TOKEN": secret("token"), "ACTIVECONFIG_ADMIN_TOKEN": secret("admin"),
        "ACTIVECONFIG_CLIENT_KEY": secret("key"),
        "ACTIVECONFIG_USER_TOKEN_SECRET": secret("users"),
    ]

    @Test func aServerPrintsNoSecretAtLevelTrace() async throws {
        let folder = try TemporaryFolder()
        let backend = try await RunningBackend(
            store: folder.store,
            [
                "--log-level", "trace", "--allow-private-webhooks",
                "--client-key", Self.secret("option"),
            ],
            environment: Self.environment)
        let admin = "Authorization: Bearer \(Self.secret("admin"))"
        _ = try await HTTPConnection.answer(
            port: backend.port, method: "PUT", target: "/v1/projects/default/remoteConfig",
            fields: [admin, "If-Match: *"], body: AdministrationTarget.templateText(title: "x"))
        let webhook = try await HTTPConnection.answer(
            port: backend.port, method: "POST", target: "/v1/projects/default/webhooks",
            fields: [admin], body: #"{"url":"http://127.0.0.1:1/"}"#)
        #expect(webhook.status == 200)
        let webhookSecret = try #require(try webhook.json["secret"]?.stringValue)
        _ = try await HTTPConnection.answer(
            port: backend.port, method: "POST",
            target: "/v1/projects/default/remoteConfig:rollback", fields: [admin],
            body: #"{"versionNumber":"1"}"#)
        let session = try await HTTPConnection.answer(
            port: backend.port, method: "POST", target: "/console/session",
            body: #"{"token":"\#(Self.secret("admin"))"}"#)
        let cookie = try ConsoleSession(session).cookie
        let key = "X-API-Key: \(Self.secret("key"))"
        for fields in [
            [], [admin], ["Authorization: Bearer \(Self.secret("wrong"))"], ["Cookie: \(cookie)"],
            [key, "Authorization: Bearer \(Self.secret("jwt")).x.y"], [key, admin],
        ] {
            for target in [
                "/v1/projects", "/activeconfig", "/activeconfig/user/1/events",
                "/\(Self.secret("path"))", "/v1/tokens?x=\(Self.secret("query"))",
            ] {
                _ = try await backend.answer(target, fields: fields)
            }
        }
        let log = await backend.stop().joined(separator: "\n")
        // Debug lines prove that the level has an effect; none of this code logs at level trace.
        #expect(log.contains(" debug "), "\(log)")
        let value = try #require(cookie.split(separator: "=").last)
        for text in [Self.mark, webhookSecret, String(value)] {
            #expect(
                !log.contains(text),
                "\(log.split(separator: "\n").first { $0.contains(text) } ?? "")")
        }
    }

    /// Arguments of each command.
    private static func arguments(folder: TemporaryFolder) throws -> [String: [String]] {
        let file = try folder.write(
            AdministrationTarget.templateText(title: "x"), to: "template.json")
        return [
            "watch": ["--count", "1"], "publish": [file], "get": [], "versions": [],
            "diff": ["1"], "rollback": ["1"], "undo": ["1"], "compare": ["a"], "promote": ["a"],
            "evaluate": [], "import": ["firebase", file],
            "export": [], "overrides get": ["1"], "overrides set": ["1", file],
            "overrides remove": ["1"], "audit": [], "draft show": [], "draft diff": [],
            "draft publish": [], "draft discard": [],
            "change-requests list": [], "change-requests show": ["a"],
            "change-requests create": ["a", "--file", file], "change-requests approve": ["a"],
            "change-requests request-changes": ["a"], "change-requests comment": ["a", "b"],
            "change-requests close": ["a"], "change-requests publish": ["a"],
            "rollout list": [], "rollout show": ["a"],
            "rollout start": ["--condition", "a", "--percents", "1,100", "--every", "1h"],
            "rollout hold": ["a"], "rollout resume": ["a"], "rollout take-back": ["a"],
            "rollout stop": ["a"],
            "schedule list": [],
            "schedule create": ["--at", "2030-01-01T00:00:00Z", "--change-request", "a"],
            "schedule move": ["a", "--at", "2030-01-01T00:00:00Z"], "schedule cancel": ["a"],
            "protection show": [], "protection set": ["1"],
            "tokens create": ["--name", "a", "--role", "viewer"],
            "tokens list": [], "tokens revoke": ["a"], "webhooks list": [],
            "webhooks add": ["http://127.0.0.1:1/"], "webhooks remove": ["a"],
            "webhooks deliveries": ["a"], "doctor": [], "backup": [folder.path("backup")],
            "restore": [file, "--to", folder.store], "raise-versions": ["--store", folder.store],
            "copy": ["--from", folder.store, "--to", folder.store],
            "projects list": [], "projects set": ["--color", "red"], "projects create": [],
            "projects archive": [], "projects unarchive": [],
            "projects delete": ["--confirm", "default"],
            "connections": [], "usage": [], "keys generate": ["--id", "a"], "keys public": [],
        ]
    }

    /// Commands without subcommands, as the words that select them.
    private static func commands(
        of command: any ParsableCommand.Type = SampleBackendCommand.self
    ) -> [[String]] {
        let configuration = command.configuration
        let all =
            configuration.subcommands + configuration.groupedSubcommands.flatMap(\.subcommands)
        if all.isEmpty { return [[]] }
        return all.flatMap { subcommand in
            let name = subcommand.configuration.commandName ?? subcommand._commandName
            return commands(of: subcommand).map { [name] + $0 }
        }
    }

    @Test func noCommandPrintsASecret() async throws {
        let folder = try TemporaryFolder()
        let backend = try await RunningBackend(["--log-level", "trace"])
        let arguments = try Self.arguments(folder: folder)
        for words in Self.commands() where words != ["serve"] {
            let behind = try #require(arguments[words.joined(separator: " ")], "\(words)")
            let isWatch = words == ["watch"]
            let isLocal = [
                "import", "backup", "restore", "copy", "raise-versions", "keys",
            ].contains(words[0])
            let secrets =
                isLocal
                ? []
                : isWatch
                    ? [
                        "--client-key", Self.secret("option"), "--user-token",
                        Self.secret("option"),
                    ] : ["--token", Self.secret("option")]
            let password = "http://user:\(Self.secret("password"))@127.0.0.1:1"
            for server in isLocal ? [[]] : [["--server", backend.url], ["--server", password]] {
                for given in [secrets, []] {
                    let run = try await CommandRun(
                        words + behind + server + given, environment: Self.environment)
                    #expect(!run.description.contains(Self.mark), "\(words): \(run)")
                }
            }
        }
        _ = await backend.stop()
    }

    @Test(arguments: [
        ["serve", "--clientkey", secret("a")], ["serve", "--client-key", secret("a"), secret("b")],
        ["serve", "--user-token-secret", "s3cr3t"], ["serve", "--client-key=\(secret("a"))", "x"],
        ["serve", "--client-key", secret("a"), "--port", "99999"],
        ["serve", "--service-key", secret("a"), secret("b")],
        ["serve", "--service-key=\(secret("a"))", "x"],
        ["serve", "--client-key", secret("a"), "--log-level", "loud"],
        ["serve", "--client-key", secret("a"), "--help"],
        ["serve", "--client-key", secret("a"), "--user-token-jwks", "/nothing"],
        ["serve", "--client-key", secret("a"), "--tls-certificate", "/no", "--tls-key", "/no"],
        ["tokens", "list", "--token", secret("a"), "--server", "x"],
        [
            "tokens", "list", "--token", "two words \(secret("a"))", "--server",
            "http://127.0.0.1:1",
        ],
        ["tokens", "list", "--token\(secret("a"))"], ["tokens", "--token", secret("a")],
        ["watch", "--client-key", secret("a"), "--server", "ftp://u:\(secret("b"))@x"],
        ["get", "--server", "u:\(secret("b"))@127.0.0.1:1"],
        ["get", "--server", "http:/u:\(secret("b"))@127.0.0.1:1"],
        ["get", "--serverhttp://u:\(secret("b"))@127.0.0.1:1"],
        ["serve", "--store", "u:\(secret("b"))@127.0.0.1:1"],
        ["serve", "--store etcd:http://u:\(secret("b"))@127.0.0.1:1"],
    ])
    func noRefusedCommandLinePrintsASecret(arguments: [String]) async throws {
        let run = try await CommandRun(arguments, environment: Self.environment)
        #expect(run.exitCode == 0 ? arguments.contains("--help") : true)
        #expect(!run.description.contains(Self.mark), "\(run)")
        let short = try await CommandRun(
            ["serve", "--port", "0"], environment: ["ACTIVECONFIG_ADMIN_TOKEN": Self.mark])
        #expect(short.exitCode == 64 && !short.description.contains(Self.mark), "\(short)")
    }
}
