import Foundation
import JSONTree
import JWTKit
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

/// Options of `sample-backend serve`, tested with the real process.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ServeOptionsTests {
    /// Refused command line with its error message.
    struct Refusal: Sendable {
        /// Arguments after `serve`.
        let arguments: [String]
        /// Environment variables.
        var environment: [String: String] = [:]
        /// Part of the message.
        let message: String
    }

    static let refusals: [NamedRow<Refusal>] = [
        NamedRow(
            "everybody could read",
            Refusal(arguments: ["--hostname", "0.0.0.0"], message: "--client-key")),
        NamedRow(
            "everybody could read through a proxy",
            Refusal(arguments: ["--allowed-host", "config.example"], message: "--open")),
        NamedRow(
            "--dev beyond this machine",
            Refusal(arguments: ["--hostname", "0.0.0.0", "--open", "--dev"], message: "--dev")),
        NamedRow(
            "no folder of pages",
            Refusal(arguments: ["--dev", "--console-pages", ""], message: "not a readable")),
        NamedRow(
            "a file for a folder of pages",
            Refusal(
                arguments: ["--dev", "--console-pages", "/etc/passwd"], message: "not a readable")),
        NamedRow(
            "a short administrator token",
            Refusal(
                arguments: [], environment: ["ACTIVECONFIG_ADMIN_TOKEN": "short"],
                message: "ACTIVECONFIG_ADMIN_TOKEN has 5 characters")),
        NamedRow(
            "a short secret",
            Refusal(arguments: ["--user-token-secret", "short"], message: "at least 32")),
        NamedRow(
            "a short secret of the environment",
            Refusal(
                arguments: [], environment: ["ACTIVECONFIG_USER_TOKEN_SECRET": "short"],
                message: "at least 32")),
        NamedRow(
            "a trusted proxy that is a name",
            Refusal(
                arguments: ["--trusted-proxy", "10.0.0.0/8", "--trusted-proxy", "proxy.example"],
                message: "--trusted-proxy \"proxy.example\"")),
        NamedRow(
            "a trusted proxy with a wrong prefix",
            Refusal(arguments: ["--trusted-proxy", "10.0.0.0/33"], message: "fd00::/8")),
        NamedRow(
            "a certificate without a key",
            Refusal(arguments: ["--tls-certificate", "x.pem"], message: "--tls-key")),
        NamedRow(
            "a store that does not exist",
            Refusal(arguments: ["--store", "redis:127.0.0.1"], message: "--store")),
        NamedRow(
            "a member of etcd without a scheme",
            Refusal(arguments: ["--store", "etcd:127.0.0.1:2379"], message: "http://HOST:PORT")),
        NamedRow(
            "a limit below 0",
            Refusal(arguments: ["--rate-limit", "-1"], message: "--rate-limit")),
        NamedRow(
            "a host with a port",
            Refusal(arguments: ["--allowed-host", "px:80"], message: "--allowed-host \"px:80\"")),
        NamedRow(
            "a URL for a host",
            Refusal(arguments: ["--allowed-host", "http://px"], message: "--allowed-host")),
        NamedRow(
            "a pattern for a host",
            Refusal(arguments: ["--allowed-host", "*.px"], message: "--allowed-host")),
        NamedRow(
            "an empty host", Refusal(arguments: ["--allowed-host", ""], message: "--allowed-host")),
        NamedRow(
            "an origin with a path",
            Refusal(
                arguments: ["--allow-origin", "https://app.example/"],
                message: "--allow-origin \"https://app.example/\"")),
        NamedRow(
            "an origin with its scheme's port",
            Refusal(
                arguments: ["--allow-origin", "https://app.example:443"],
                message: "--allow-origin")),
        NamedRow(
            "an origin without a scheme",
            Refusal(arguments: ["--allow-origin", "app.example"], message: "--allow-origin")),
        NamedRow(
            "an origin with an asterisk",
            Refusal(arguments: ["--allow-origin", "https://*.example"], message: "--allow-origin")),
        NamedRow(
            "a single connection",
            Refusal(
                arguments: ["--max-connections", "1"], message: "--max-connections is below 2")),
    ]

    @Test(arguments: refusals)
    func optionsThatCannotBeUsedAreRefused(row: NamedRow<Refusal>) async throws {
        let run = try await CommandRun(
            ["serve", "--port", "0"] + row.value.arguments, environment: row.value.environment)
        #expect(run.exitCode == 64, "\(run)")
        #expect(run.error.contains(row.value.message), "\(run)")
        #expect(run.output.isEmpty)
    }

    @Test func developmentModePublishesTheSampleAndPrintsAToken() async throws {
        let process = try BackendProcess(["serve", "--port", "0", "--store", "memory", "--dev"])
        let port = try #require(await process.listeningPort())
        let prefix = "administrator token "
        var lines = process.outputLines.makeAsyncIterator()
        let line = try #require(await lines.next())
        #expect(line.hasPrefix(prefix + "acfg_"))
        let token = line.dropFirst(prefix.count)
        let answer = try await HTTPConnection.answer(
            port: port, target: "/v1/tokens", fields: ["Authorization: Bearer \(token)"])
        #expect(answer.status == 200)
        let tokens = try JSONNode(jsonData: answer.body)["tokens"]?.arrayValue
        let developer = try #require(tokens?.first)
        #expect(tokens?.count == 1)
        #expect(developer["name"] == "dev")
        #expect(developer["role"] == "publisher")
        #expect(developer["expirationTime"] != nil)
        let document = try await HTTPConnection.answer(port: port, target: "/activeconfig/user/3")
        #expect(document.status == 200)
        process.send(signal: SIGTERM)
        #expect(await process.exitCode() == 0)
        var log: [String] = []
        for await line in process.errorLines { log.append(line) }
        #expect(!log.contains { $0.contains(token) })
    }

    @Test func developmentModeLeavesWhatIsPublishedAlone() async throws {
        let target = try await AdministrationTarget(.database)
        #expect(try await target.run("publish", target.template(title: "mine")).exitCode == 0)
        let backend = try await RunningBackend(store: target.folder.store, ["--dev"])
        let document = try await backend.answer("/activeconfig")
        #expect(String(decoding: document.body, as: UTF8.self).contains("mine"))
        _ = await backend.stop()
    }

    @Test(arguments: ["option", "environment"])
    func theServerLetsInClientsWithAKey(source: String) async throws {
        let key = "a-client-key"
        let backend = try await RunningBackend(
            ["--dev"] + (source == "option" ? ["--client-key", key] : []),
            environment: source == "option" ? [:] : ["ACTIVECONFIG_CLIENT_KEY": key])
        #expect(try await backend.answer("/activeconfig").status == 401)
        let wrong = try await backend.answer("/activeconfig", fields: ["X-API-Key: another"])
        #expect(wrong.status == 401)
        let right = try await backend.answer("/activeconfig", fields: ["X-API-Key: \(key)"])
        #expect(right.status == 200)
        let log = await backend.stop()
        #expect(!log.contains { $0.contains(key) || $0.contains(RunningBackend.token) })
    }

    private struct Claims: JWTPayload {
        let sub: SubjectClaim
        let exp: ExpirationClaim

        /// Checks the expiration.
        func verify(using algorithm: some JWTAlgorithm) throws {
            try exp.verifyNotExpired()
        }
    }

    /// Signs a user's token.
    private func token(
        _ user: String, secret: String, lifetime: TimeInterval = 60
    ) async throws -> String {
        let keys = await JWTKeyCollection().add(
            hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
        return try await keys.sign(
            Claims(
                sub: SubjectClaim(value: user),
                exp: ExpirationClaim(value: Date(timeIntervalSinceNow: lifetime))))
    }

    @Test func theServerLetsInUsersWithTheirToken() async throws {
        let secret = "a secret of at least 32 bytes, for HS256"
        let backend = try await RunningBackend(
            ["--dev"], environment: ["ACTIVECONFIG_USER_TOKEN_SECRET": secret])
        func status(_ token: String) async throws -> Int {
            try await backend.answer(
                "/activeconfig/user/ada", fields: ["Authorization: Bearer \(token)"]
            ).status
        }
        #expect(try await backend.answer("/activeconfig/user/ada").status == 401)
        #expect(try await status(token("ada", secret: secret)) == 200)
        #expect(try await status(token("bob", secret: secret)) == 403)
        #expect(try await status(token("ada", secret: secret, lifetime: -60)) == 401)
        #expect(try await status(token("ada", secret: secret + "!")) == 401)
        let log = await backend.stop()
        #expect(!log.contains { $0.contains(secret) || $0.contains("eyJ") })
    }

    @Test func theServerLetsInUsersWithATokenOfAKeyOfTheFile() async throws {
        let key = ES256PrivateKey()
        let parameters = try #require(key.parameters)
        func encoded(_ text: String) -> String {
            text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        let jwks: JSONNode = [
            "keys": [
                [
                    "kty": "EC", "crv": "P-256", "alg": "ES256", "kid": "one",
                    "x": .string(encoded(parameters.x)), "y": .string(encoded(parameters.y)),
                ]
            ]
        ]
        let folder = try TemporaryFolder()
        let file = try folder.write(jwks.description, to: "keys.json")
        let backend = try await RunningBackend(["--dev", "--user-token-jwks", file])
        func status(signedWith key: ES256PrivateKey) async throws -> Int {
            let keys = await JWTKeyCollection().add(ecdsa: key, kid: "one")
            let token = try await keys.sign(
                Claims(
                    sub: SubjectClaim(value: "ada"),
                    exp: ExpirationClaim(value: Date(timeIntervalSinceNow: 60))), kid: "one")
            return try await backend.answer(
                "/activeconfig/user/ada", fields: ["Authorization: Bearer \(token)"]
            ).status
        }
        #expect(try await status(signedWith: key) == 200)
        #expect(try await status(signedWith: ES256PrivateKey()) == 401)
        // A public key must not be accepted as a secret of HS256.
        let confused = try await token("ada", secret: jwks.description)
        let answer = try await backend.answer(
            "/activeconfig/user/ada", fields: ["Authorization: Bearer \(confused)"])
        #expect(answer.status == 401)
        _ = await backend.stop()
        let refused = try await CommandRun(["serve", "--user-token-jwks", file + ".none"])
        #expect(refused.exitCode == 64)
    }

    @Test func theServerLimitsTheRequestsOfAnAddress() async throws {
        let backend = try await RunningBackend(["--dev", "--rate-limit", "3"])
        var statuses: [Int] = []
        for _ in 0..<50 { statuses.append(try await backend.answer("/activeconfig").status) }
        #expect(statuses.first == 200)
        #expect(statuses.contains(429))
        _ = await backend.stop()
    }

    @Test func theServerCountsForPrometheus() async throws {
        let backend = try await RunningBackend(["--dev"])
        let tag = try await backend.answer("/activeconfig").fields["etag"] ?? ""
        try await HTTPConnection.open(port: backend.port) { connection in
            for _ in 0..<3 {
                connection.send(target: "/activeconfig", fields: ["If-None-Match: \(tag)"])
                let answer = try await connection.receive()
                #expect(answer.status == 304)
            }
        }
        let text = String(decoding: try await backend.answer("/metrics").body, as: UTF8.self)
        #expect(text.contains("activeconfig_requests_total{"))
        #expect(text.contains("activeconfig_template_version{"))
        #expect(text.contains("activeconfig_evaluations_total 4\n"))
        _ = await backend.stop()
    }

    @Test func theServerRefusesAFileThatIsNoDatabase() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(String(repeating: "no database\n", count: 500), to: "x.sqlite")
        let before = try Data(contentsOf: URL(fileURLWithPath: file))
        let run = try await CommandRun(["serve", "--port", "0", "--store", "sqlite:\(file)"])
        #expect(run.exitCode == 69, "\(run)")
        #expect(run.error.contains(file), "\(run)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
    }

    @Test func theServerRefusesADatabaseWhoseFolderIsMissing() async throws {
        let folder = try TemporaryFolder()
        let run = try await CommandRun([
            "serve", "--port", "0", "--store", "sqlite:\(folder.path("none/x.sqlite"))",
        ])
        #expect(run.exitCode == 69, "\(run)")
        #expect(!run.error.isEmpty)
    }
}
