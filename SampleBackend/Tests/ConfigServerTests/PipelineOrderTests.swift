import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ClientAPI
@testable import ConfigServer
@testable import HTTPServing

/// Requests on one connection are answered in order, regardless of their kind (PROTOCOL 2).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct PipelineOrderTests {
    /// Request of a pipeline with the expected response.
    private struct Step {
        /// State of the connection after the response.
        enum End {
            /// The next requests are answered.
            case none
            /// The server closes the connection.
            case closed
            /// The connection is a stream.
            case stream
        }

        let text: String
        var statuses: [Int]
        var isHead = false
        var content = ""
        var end = End.none
    }

    /// Requests with users' tokens that the server accepts.
    private struct Steps {
        let ada: String
        let bob: String

        init() async throws {
            ada = try await UserToken.field("ada")
            bob = try await UserToken.field("bob")
        }

        private func request(
            _ target: String, _ fields: String..., method: String = "GET", body: String = "",
            version: String = "HTTP/1.1", host: String = "Host: a\r\n"
        ) -> String {
            let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
            return "\(method) \(target) \(version)\r\n\(host)"
                + fields.map { $0 + "\r\n" }.joined() + length + "\r\n" + body
        }

        var ordinary: [Step] {
            let document = "/activeconfig/user/ada"
            let administrator = "Authorization: Bearer \(RunningServer.administratorToken)"
            return [
                Step(text: request(document, ada), statuses: [200], content: "Hello ada"),
                Step(
                    text: request("/activeconfig/user/bob", bob), statuses: [200],
                    content: "Hello bob"),
                Step(text: request(document, bob), statuses: [403]),
                Step(text: request(document), statuses: [401]),
                Step(
                    text: request("/v1/projects/default/remoteConfig:listVersions", administrator),
                    statuses: [200], content: "versionNumber"),
                Step(text: request("/health/live"), statuses: [200]),
                Step(text: request(document, ada, method: "HEAD"), statuses: [200], isHead: true),
                Step(text: request("/nothing"), statuses: [404]),
                Step(text: request(document, ada, method: "POST", body: "{}"), statuses: [405]),
                Step(text: request(document + "/events"), statuses: [401]),
                Step(text: request(document + "/events", bob), statuses: [403]),
                Step(
                    text: request(document + "/events", ada, method: "HEAD"), statuses: [200],
                    isHead: true),
                Step(
                    text: request(document, ada, "Expect: 100-continue", body: "{}"),
                    statuses: [100, 200], content: "Hello ada"),
                Step(
                    text: request("http://b:1" + document + "?app.id=x", ada), statuses: [200],
                    content: "Hello ada"),
                Step(
                    text: request(
                        document, ada, "Connection: keep-alive", version: "HTTP/1.0", host: ""),
                    statuses: [200], content: "Hello ada"),
            ]
        }

        var last: [Step] {
            let document = "/activeconfig/user/ada"
            return [
                Step(text: "nonsense\r\n\r\n", statuses: [400], end: .closed),
                Step(
                    text: request(document, ada, "Connection: close"), statuses: [200],
                    content: "Hello ada", end: .closed),
                Step(text: request(document, ada, "Host: b"), statuses: [400], end: .closed),
                Step(
                    text: request(document, "Content-Length: 70000", method: "POST"),
                    statuses: [413],
                    end: .closed),
                Step(
                    text: request(document, ada, "Connection: upgrade", "Upgrade: websocket"),
                    statuses: [200], content: "Hello ada", end: .closed),
                Step(
                    text: request(document, ada, version: "HTTP/1.0"), statuses: [200],
                    content: "Hello ada", end: .closed),
                Step(text: request("a:1", method: "CONNECT"), statuses: [400], end: .closed),
                Step(text: request(document + "/events", ada), statuses: [], end: .stream),
                Step(text: request("/activeconfig/events", bob), statuses: [], end: .stream),
            ]
        }
    }

    /// Runs a server that requires users' tokens, with a published template.
    private func withServer(
        _ body: @Sendable (RunningServer) async throws -> Void
    ) async throws {
        var options = ConfigServerOptions()
        options.clientAccess = ClientAccess(
            keys: [],
            userTokens: try await UserTokenVerifier(secret: Secret(UserToken.secret)))
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            try await server.publish(.sample)
            try await body(server)
        }
    }

    /// Sends a pipeline in pieces, and compares the responses.
    private func check(
        _ pipeline: [Step], pieces: [ArraySlice<UInt8>], isHalfClosed: Bool,
        on server: RunningServer
    ) async throws {
        try await HTTPConnection.open(port: server.port) { connection in
            for (number, piece) in pieces.enumerated() {
                connection.send(Array(piece))
                // The server has probably read this piece once it has answered another request.
                if number < pieces.count - 1, pieces.count < 4 {
                    _ = await server.status("/health/live")
                }
            }
            if isHalfClosed { try await connection.finishSending() }
            for step in pipeline {
                for status in step.statuses {
                    let answer = try await connection.receive(isHead: step.isHead)
                    try #require(answer.status == status, "\(step.text)")
                    if status == 200, !step.content.isEmpty {
                        let text = String(decoding: answer.body, as: UTF8.self)
                        try #require(text.contains(step.content))
                    }
                }
                switch step.end {
                case .none: continue
                case .closed:
                    #expect(await connection.receiveEnd().isEmpty)
                    return
                case .stream where isHalfClosed:
                    // To the server, a client that closes its sending side has disconnected.
                    _ = await connection.receiveEnd()
                    return
                case .stream:
                    let head = try await connection.receive(through: "\r\n\r\n")
                    try #require(head.contains("text/event-stream"))
                    let hello = try await connection.receive(through: "\n\n")
                    try #require(hello.contains("event: hello\n"))
                    return
                }
            }
            if isHalfClosed {
                #expect(await connection.receiveEnd().isEmpty)
            } else {
                connection.send(target: "/health/live")
                #expect(await connection.receiveStatus() == 200)
            }
        }
    }

    @Test func theServerAnswersGeneratedPipelinesInOrder() async throws {
        let steps = try await Steps()
        try await withServer { server in
            for seed in UInt64(1)...(Sanitizer.isOn ? 12 : 60) {
                var generator = SeededGenerator(seed: seed)
                var pipeline: [Step] = []
                for _ in 0..<Int.random(in: 0...12, using: &generator) {
                    pipeline += [steps.ordinary.randomElement(using: &generator)].compactMap { $0 }
                }
                if Bool.random(using: &generator) {
                    let step = try #require(steps.last.randomElement(using: &generator))
                    pipeline.append(step)
                    // Requests after this one have no effect.
                    let next = try #require(steps.ordinary.randomElement(using: &generator))
                    if Bool.random(using: &generator) { pipeline.append(next) }
                }
                let bytes = Array(pipeline.map(\.text).joined().utf8)
                let sizes = [bytes.count, 1, 7, 100, 1_000]
                let size = max(1, try #require(sizes.randomElement(using: &generator)))
                let pieces = stride(from: 0, to: bytes.count, by: size).map {
                    bytes[$0..<min($0 + size, bytes.count)]
                }
                do {
                    try await check(
                        pipeline, pieces: pieces,
                        isHalfClosed: Bool.random(using: &generator), on: server)
                } catch {
                    Issue.record("\(error), seed \(seed), pieces of \(size): \(pipeline)")
                    break
                }
            }
            #expect(await server.status("/health/live") == 200)
        }
    }

    @Test func theServerAnswersAPipelineThatIsSplitAnywhere() async throws {
        let steps = try await Steps()
        try await withServer { server in
            let ordinary = steps.ordinary
            let pipeline = [ordinary[5], ordinary[3], ordinary[12], steps.last[7], ordinary[5]]
            let bytes = Array(pipeline.map(\.text).joined().utf8)
            for index in bytes.indices {
                try await check(
                    pipeline, pieces: [bytes[..<index], bytes[index...]], isHalfClosed: false,
                    on: server)
            }
        }
    }

    @Test(arguments: ["garbage\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "\u{0}\u{1}", "GE"])
    func aStreamStaysOpenWhateverIsSentAfterItsRequest(text: String) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send("GET /activeconfig/events HTTP/1.1\r\nHost: a\r\n\r\n" + text)
                #expect(try await connection.receive(through: "\n\n").contains("event: hello"))
                try await server.publish(["parameters": [:]])
                #expect(try await connection.receive(through: "\n\n").contains("id: 2\n"))
            }
        }
    }

    @Test func aClientThatClosesItsSendingSideMeanwhileGetsItsAnswers() async throws {
        let source = GatedSource()
        try await RunningServer.with(source: source) { server in
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(target: "/health/ready")
                connection.send(target: "/activeconfig/user/7")
                await source.arrival()
                try await connection.finishSending()
                await source.open()
                #expect(await connection.receiveStatus() == 200)
                let document = try await connection.receive()
                #expect(String(decoding: document.body, as: UTF8.self).contains("user ID 7"))
                #expect(await connection.receiveEnd().isEmpty)
            }
        }
    }
}
