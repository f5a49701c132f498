import Crypto
import Foundation
import HTTPServing
import HTTPTypes
import InMemoryTemplateStore
import JSONTree
import Logging
import NIOCore
import Rendering
import SeededRandomness
import ServerTestSupport
import Targeting
import TemplateStore
import Testing

@testable import ClientAPI
@testable import ConfigServer

/// Signatures of documents (PROTOCOL 1), verified from the text of the client protocol alone.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct DocumentSignatureTests {
    /// The private key of the example in "Client protocol": the bytes 0 to 31.
    private static let seed = Data(0..<32).base64EncodedString()

    private func run(_ body: @Sendable (RunningServer, SigningKey) async throws -> Void)
        async throws
    {
        let key = try SigningKey(id: "2026-11", text: Self.seed)
        var options = ConfigServerOptions()
        options.documentSigner = DocumentSigner(key: key, lifetime: 3_600)
        try await RunningServer.with(store: InMemoryTemplateStore(), options: options) { server in
            try await server.publish(.sample)
            try await server.publish(.sample, project: "other")
            try await body(server, key)
        }
    }

    /// A client that sends no version has tags of all bytes.
    @Test func aStreamResumesWithEitherTagOfTheDocument() async throws {
        try await run { server, _ in
            let target = "/activeconfig/user/3"
            for (version, fields) in [(1, []), (2, ["ActiveConfig-Template-Version: 0"])] {
                let answer = try await server.answer(target, fields: fields)
                let tag = try #require(answer.fields["etag"])
                let resuming = ["Last-Event-ID: \(version)", "If-None-Match: \(tag)"]
                try await server.stream(ofUser: "3", fields: resuming) {
                    var changed = JSONNode.sample
                    changed.setTitle(of: "third", to: "Title \(version)")
                    try await server.publish(changed)
                    let update = try await $0.next()
                    #expect(update.name == "update" && update.id == "\(version + 1)", "\(fields)")
                }
            }
        }
    }

    /// Verifies a signature for `project` and `user` as "Client protocol" describes; `body` nil
    /// stands for a 304 to a client that takes over versions.
    private func check(
        _ answer: HTTPAnswer, body: Data?, project: String = "default", user: String?,
        key: SigningKey
    ) throws {
        let field = try #require(answer.fields["activeconfig-signature"])
        let match = try #require(
            try /keyid="2026-11", expires=(\d+), version=(\d+), sig=:([A-Za-z0-9+\/=]{88}):/
                .wholeMatch(in: field))
        let signature = try #require(Data(base64Encoded: String(match.3)))
        let hash =
            body.map { body in
                SHA256.hash(data: body).map { String(UInt16($0) + 256, radix: 16).dropFirst() }
                    .joined()
            } ?? "-"
        let tag = answer.fields["etag"].map { $0.hasPrefix("W/") ? $0.dropFirst(2) : $0[...] }
        let text =
            "activeconfig-signature-v1\n\(project)\n\(user.map { "user:\($0)" } ?? "generic")\n"
            + "\(match.2)\n\(match.1)\n\(hash)\n\(tag ?? "")\n"
        #expect(key.privateKey.publicKey.isValidSignature(signature, for: Data(text.utf8)))
        // deadline: the response has just arrived, and up to half an hour may be missing
        let left = (Double(match.1) ?? 0) - Date().timeIntervalSince1970
        #expect((1_790...3_600).contains(left))
        #expect(answer.fields["activeconfig-template-version"] == String(match.2))
        guard let body else { return }
        let meta = try JSONNode(jsonData: body)["meta"]
        #expect(meta?["template_version"]?.integerValue == Int(match.2))
    }

    @Test func a304IsSignedForItsTagAndItsVersion() async throws {
        try await run { server, key in
            let taking = "ActiveConfig-Template-Version: 1"
            let first = try await server.answer("/activeconfig/user/1", fields: [taking])
            let tag = try #require(first.fields["etag"])
            #expect(tag.hasPrefix("W/"))
            try check(first, body: first.body, user: "1", key: key)
            var template = JSONNode.sample
            template.setTitle(of: "third", to: "Others")
            let fields = [taking, "If-None-Match: \(tag)"]
            for version in 1...3 {
                for _ in 1...2 {
                    let same = try await server.answer("/activeconfig/user/1", fields: fields)
                    #expect(same.status == 304)
                    #expect(same.fields["activeconfig-template-version"] == "\(version)")
                    try check(same, body: nil, user: "1", key: key)
                }
                try await server.publish(template)
            }
            // The poll waits through versions that leave its content unchanged.
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(
                    target: "/activeconfig/user/1", fields: fields + ["Prefer: wait=60"])
                try await server.waitForConnections(1)
                template.setTitle(of: "third", to: "Others again")
                try await server.publish(template)
                template.setTitle(of: nil, to: "Hi")
                try await server.publish(template)
                let answer = try await connection.receive()
                #expect(answer.status == 200)
                #expect(answer.fields["activeconfig-template-version"] == "6")
                try check(answer, body: answer.body, user: "1", key: key)
            }
        }
    }

    /// A client that does not take over versions cannot verify a 304 for a version that it does not
    /// have.
    @Test func aClientThatTakesOverNoVersionHasATagOfTheBytes() async throws {
        try await run { server, key in
            let first = try await server.answer("/activeconfig/user/1")
            let tag = try #require(first.fields["etag"])
            let fields = ["If-None-Match: \(tag)"]
            try await HTTPConnection.open(port: server.port) { connection in
                func answer(_ fields: [String]) async throws -> HTTPAnswer {
                    connection.send(target: "/activeconfig/user/1", fields: fields)
                    return try await connection.receive()
                }
                let same = try await answer(fields)
                #expect(same.status == 304)
                try check(same, body: first.body, user: "1", key: key)
                // Another client behind the same proxy.
                let taking = ["ActiveConfig-Template-Version: 0"]
                let weak = try #require(try await answer(taking).fields["etag"])
                let confirmed = try await answer(taking + ["If-None-Match: \(weak)"])
                try check(confirmed, body: nil, user: "1", key: key)
                try check(try await answer(fields), body: first.body, user: "1", key: key)
                var template = JSONNode.sample
                template.setTitle(of: "third", to: "Others")
                try await server.publish(template)
                let next = try await answer(fields)
                #expect(next.status == 200)
                try check(next, body: next.body, user: "1", key: key)
                #expect(try await answer(taking + ["If-None-Match: \(weak)"]).status == 304)
            }
        }
    }

    @Test func everyDocumentIsSignedForItsUser() async throws {
        let rows: [(target: String, project: String, user: String?)] = [
            ("/activeconfig", "default", nil), ("/active_config", "default", nil),
            ("/activeconfig/user/1", "default", "1"), ("/active_config?userID=1", "default", "1"),
            ("/activeconfig/user/generic", "default", "generic"),
            ("/activeconfig/user/", "default", ""), ("/activeconfig/user/-", "default", "-"),
            ("/activeconfig/user/%c3%bc%2F%0A%20~", "default", "%C3%BC%2F%0A%20~"),
            ("/activeconfig/user/e%CC%81", "default", "e%CC%81"),
            ("/projects/other/activeconfig/user/3", "other", "3"),
            ("/activeconfig/user/t?signal.city=Tokyo", "default", "t"),
        ]
        try await run { server, key in
            for row in rows {
                let answer = try await server.answer(row.target)
                try check(
                    answer, body: answer.body, project: row.project, user: row.user, key: key)
                // The second response comes from the cache.
                let again = try await server.answer(row.target)
                #expect(
                    again.fields["activeconfig-signature"]
                        == answer.fields["activeconfig-signature"])
                let known = try await server.answer(
                    row.target, fields: ["If-None-Match: W/\(answer.fields["etag"] ?? "")"])
                #expect(known.status == 304)
                try check(
                    known, body: answer.body, project: row.project, user: row.user, key: key)
                let head = try await server.answer(row.target, method: "HEAD")
                try check(head, body: answer.body, project: row.project, user: row.user, key: key)
            }
        }
    }

    @Test func theAnswersOfLongPollsAreSigned() async throws {
        try await run { server, key in
            let first = try await server.answer("/activeconfig/user/1")
            let fields = ["If-None-Match: \(first.fields["etag"] ?? "")", "Prefer: wait=1"]
            let same = try await server.answer("/activeconfig/user/1", fields: fields)
            #expect(same.status == 304)
            try check(same, body: first.body, user: "1", key: key)
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(
                    target: "/activeconfig/user/1", fields: [fields[0], "Prefer: wait=60"])
                try await server.waitForConnections(1)
                var template = JSONNode.sample
                template.setTitle(of: nil, to: "Hi")
                try await server.publish(template)
                let answer = try await connection.receive()
                #expect(answer.status == 200)
                try check(answer, body: answer.body, user: "1", key: key)
            }
        }
    }

    @Test func pinnedValuesAreSigned() async throws {
        try await run { server, key in
            try await server.administer(
                "PUT", "/v1/projects/default/users/1/overrides", body: ["Home": ["title": "x"]])
            let answer = try await server.answer("/activeconfig/user/1")
            try check(answer, body: answer.body, user: "1", key: key)
        }
    }

    @Test func errorsAreNotSigned() async throws {
        try await run { server, _ in
            for target in ["/activeconfig?signal.=1", "/projects/none/activeconfig", "/nothing"] {
                let answer = try await server.answer(target)
                #expect(answer.status >= 400)
                #expect(answer.fields["activeconfig-signature"] == nil)
            }
        }
    }

    @Test func withoutAKeyNothingIsSigned() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            #expect(
                try await server.answer("/activeconfig").fields["activeconfig-signature"] == nil)
        }
    }

    @Test(arguments: [
        (0, 100, 100), (49, 100, 100), (50, 100, 150), (99, 100, 150), (100, 100, 200),
        (7, 61, 61), (30, 61, 91), (1_795_262_400, 86_400, 1_795_348_800),
    ])
    func anExpirationIsTheSameForHalfOfTheLifetime(time: Int, lifetime: Int, expected: Int) {
        let expiration = SignedStatement.expiration(at: time, lifetime: lifetime)
        #expect(expiration == expected)
        #expect((time + lifetime / 2...time + lifetime).contains(expiration))
    }

    /// The example of the article "Client protocol", byte for byte.
    @Test func theExampleOfTheContractHolds() throws {
        let key = try SigningKey(id: "2026-11", text: Self.seed)
        #expect(key.publicText == "2026-11:A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=")
        let body =
            #"{"config_sections":{"Home":{"settings":{"title":{"value":"Hi"}}}},"#
            + #""meta":{"format_version_string":"1.0","template_version":12}}"#
        let document = RenderedDocument(jsonBytes: ByteBuffer(string: body), version: 12)
        let statement = SignedStatement(
            project: "default", userID: "ada@example.com", identity: document.identity,
            expiration: 1_795_348_800)
        #expect(
            String(decoding: statement.bytes, as: UTF8.self) == """
                activeconfig-signature-v1
                default
                user:ada%40example.com
                12
                1795348800
                9555eabd60ffcd3a8d874ab077fa981ee6c890948efcf5e9384ef6ea17793116
                "9555eabd60ffcd3a8d874ab077fa981e"

                """)
        let signer = DocumentSigner(
            key: key, lifetime: 86_400,
            now: { Date(timeIntervalSince1970: 1_795_262_400) })
        #expect(
            try signer.fieldValue(
                for: document.identity, project: "default", userID: "ada@example.com")
                == #"keyid="2026-11", expires=1795348800, version=12, "#
                + "sig=:Cj/xm5BJrW7zCo4dK7ViYF1XmvsPkjPqBcPeEwARm6kKqnKvgz/RtpnUXKTU"
                + "4eTy9LAFOAfzOTa3tVSl85I3AA==:")
    }

    /// Collects the messages of a log.
    private struct MessageHandler: LogHandler {
        let messages: AsyncStream<String>.Continuation
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.error

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            messages.yield("\(event.level) \(event.message) \(event.metadata ?? [:])")
        }
    }

    @Test func aFailureToSignIsLogged() async throws {
        struct Broken: Error {}
        let (messages, continuation) = AsyncStream.makeStream(of: String.self)
        let signer = DocumentSigner(
            key: try SigningKey.generate(id: "a"), lifetime: 3_600, now: { Date() },
            sign: { _, _ in throw Broken() })
        let answers = DocumentAnswers(
            source: SampleDocumentSource(), signer: signer, acknowledgedShare: nil,
            logger: Logger(label: "test") { _ in MessageHandler(messages: continuation) })
        let answer = try answers.answer(
            DocumentRequest(project: "default", userID: "1", signals: Signals()), condition: nil)
        #expect(answer.headerFields[try #require(HTTPField.Name("ActiveConfig-Signature"))] == nil)
        continuation.finish()
        let all = await messages.reduce(into: []) { $0.append($1) }
        #expect(all.count == 1)
        #expect(all[0].hasPrefix("error A document could not be signed"))
        #expect(all[0].contains("Broken"))
    }
}
