import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

/// Keys of services, signing keys and acknowledgements, tested with the real process.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct AssuranceOptionsTests {
    /// The bytes 0 to 31 in Base64, and their public key.
    private static let seed = Data(0..<32).base64EncodedString()
    private static let publicKey = "A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg="

    private static let refusals: [NamedRow<(arguments: [String], message: String)>] = [
        NamedRow("a lifetime below the shortest", (["--signature-lifetime", "59"], "60 to")),
        NamedRow("one above the longest", (["--signature-lifetime", "31536001"], "60 to")),
        NamedRow("no share", (["--acknowledgement-share", "0"], "--acknowledgement-share")),
        NamedRow("more than all", (["--acknowledgement-share", "1.1"], "--acknowledgement-share")),
        NamedRow("a key without ID", (["--signing-key", "key.pem"], "--signing-key")),
        NamedRow("a missing key file", (["--signing-key", "a:/nothing"], "cannot be read")),
        NamedRow("a file that is not a key", (["--signing-key", "a:/dev/null"], "Ed25519")),
        NamedRow("an empty service key", (["--service-key", ""], "invalid for '--service-key")),
        NamedRow(
            "a service key that clients have",
            (["--service-key", "x-secret-x", "--client-key", "x-secret-x"], "--service-key")),
    ]

    @Test(arguments: refusals)
    func optionsThatCannotBeUsedAreRefused(
        row: NamedRow<(arguments: [String], message: String)>
    ) async throws {
        let run = try await CommandRun(
            ["serve", "--port", "0", "--store", "memory"] + row.value.arguments)
        #expect(run.exitCode == 64, "\(run)")
        #expect(run.error.contains(row.value.message), "\(run)")
        #expect(!run.error.contains("x-secret-x"))
    }

    @Test func keysAreMadeAndTheirPublicPartsAreShown() async throws {
        let folder = try TemporaryFolder()
        let made = try await CommandRun(["keys", "generate", "--id", "new"])
        let words = made.output.split(whereSeparator: \.isWhitespace).map(String.init)
        try #require(words.count == 4)
        let file = try folder.write(made.output, to: "new.key")
        let shown = try await CommandRun(
            ["keys", "public", "--signing-key", "new:\(file)"],
            environment: ["ACTIVECONFIG_SIGNING_KEY": "old:\(Self.seed)\nolder:\(Self.seed)"])
        let lines = shown.output.split(separator: "\n").map(String.init)
        #expect(lines == [words[3], "old:\(Self.publicKey)", "older:\(Self.publicKey)"])
        #expect(try await CommandRun(["keys", "public"]).exitCode == 64)
        #expect(try await CommandRun(["keys", "generate", "--id", "a b"]).exitCode == 64)
        let twice = try await CommandRun(
            ["keys", "public", "--signing-key", "old:\(file)"],
            environment: ["ACTIVECONFIG_SIGNING_KEY": "old:\(Self.seed)"])
        #expect(twice.error.contains("same ID"), "\(twice)")
        #expect(!twice.error.contains(Self.seed))
    }

    @Test func theFirstKeySigns() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.seed, to: "key")
        let backend = try await RunningBackend(
            ["--dev", "--signing-key", "first:\(file)", "--signing-key", "second:\(file)"])
        let answer = try await backend.answer("/activeconfig/user/1")
        #expect(answer.fields["activeconfig-signature"]?.hasPrefix("keyid=\"first\", ") ?? false)
        let log = await backend.stop()
        #expect(!log.contains { $0.contains(Self.seed) })
    }

    @Test(arguments: ["option", "environment"])
    func aServiceKeyOpensTheStreamOfManyUsers(source: String) async throws {
        let key = "a-service-key"
        let backend = try await RunningBackend(
            ["--dev"] + (source == "option" ? ["--service-key", key] : []),
            environment: source == "option" ? [:] : ["ACTIVECONFIG_SERVICE_KEY": key])
        for (sent, isRight) in [(key, true), ("another", false)] {
            try await HTTPConnection.open(port: backend.port) { connection in
                connection.send(
                    method: "POST", target: "/activeconfig/events",
                    fields: ["X-API-Key: \(sent)"], body: #"{"users": [{"user_id": "1"}]}"#)
                let head = try await connection.receive(through: "\r\n\r\n")
                #expect(head.hasPrefix("HTTP/1.1 200 ") == isRight)
            }
        }
        let log = await backend.stop()
        #expect(!log.contains { $0.contains(key) })
    }

    @Test func theCommandShowsWhatClientsCannotUse() async throws {
        let backend = try await RunningBackend(
            ["--dev", "--acknowledgements", "--acknowledgement-share", "0.5"])
        let document = try await backend.answer("/activeconfig/user/1")
        #expect(document.fields["activeconfig-acknowledge"] == "0.5")
        let place = #"{"section": "AppFeatures", "key": "SomeFeature", "message": "no\u001b[31m"}"#
        for (user, problems) in [("1", ""), ("2", place)] {
            let answer = try await HTTPConnection.answer(
                port: backend.port, method: "POST",
                target: "/activeconfig/user/\(user)/acknowledgement",
                body: #"{"template_version": 1, "problems": [\#(problems)]}"#)
            #expect(answer.status == 204)
        }
        let environment = ["ACTIVECONFIG_TOKEN": RunningBackend.token]
        let shown = try await CommandRun(
            ["connections", "--server", backend.url], environment: environment)
        #expect(shown.exitCode == 0, "\(shown)")
        let lines = shown.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("VERSION  LISTENING  ACTIVE  PROBLEMS") ?? false)
        #expect(lines.dropFirst().first?.split(separator: " ") == ["1", "0", "1", "1"])
        #expect(
            lines.last == #"version 1: 1 client cannot use AppFeatures.SomeFeature: no\u{1b}[31m"#)
        let json = try await CommandRun(
            ["connections", "--server", backend.url, "--json"], environment: environment)
        #expect(try json.json["acknowledgements"]?["clients"] == 2)
        let metrics = try await backend.answer("/metrics")
        let text = String(decoding: metrics.body, as: UTF8.self)
        #expect(
            text.contains(
                #"activeconfig_acknowledged_clients{project="default",version="1"} 1"#))
        #expect(text.contains(#"activeconfig_problem_clients{project="default",version="1"} 1"#))
        #expect(
            text.contains(
                #"activeconfig_problems{project="default",setting="AppFeatures.SomeFeature",version="1"} 1"#
            ))
        _ = await backend.stop()
    }
}
