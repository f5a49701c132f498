import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

@testable import ConfigServer
@testable import HTTPServing

/// Errors of the client protocol over real sockets.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct RequestErrorTests {
    @Test(arguments: [
        "/nothing", "/activeconfig/", "/activeconfig/user", "/activeconfig/user/1/2",
        "/activeconfig/users/1", "//activeconfig", "/ActiveConfig", "/active_config/", "/health",
        "/health/live/", "/projects", "/projects/default", "/projects/default/active_config",
        "/activeconfig%2Fuser%2F1", "/activeconfig/../activeconfig",
    ])
    func theServerAnswers404ForAnyOtherPath(target: String) async throws {
        let answer = try await RunningServer.with { try await $0.answer(target) }
        #expect(answer.status == 404)
        #expect(answer.fields["content-type"] == "application/json")
        #expect(answer.error?.code == 404)
        #expect(answer.error?.status == "NOT_FOUND")
        #expect(answer.error?.message.hasSuffix(".") == true)
    }

    @Test(arguments: [
        ("/v1/projects/default/remoteconfig", "/v1/projects/{project}/remoteConfig"),
        ("/v1", "/openapi.json"), ("/ofrep/v1/evaluate", "/ofrep/v1/evaluate/flags"),
        ("/projects/default/user/1", "/projects/{project}/activeconfig/user/{userID}"),
    ])
    func anUnknownPathIsExplainedByThoseThatBeginAlike(target: String, path: String) async throws {
        let answer = try await RunningServer.with { try await $0.answer(target) }
        #expect(answer.status == 404)
        // The error has the form of the protocol that the path belongs to.
        #expect(String(decoding: answer.body, as: UTF8.self).contains(path), "\(answer)")
    }

    @Test(arguments: [
        ("POST", "/v1/tokens", #"{"name": "m", "role": "viewer", "expiresAt": "2030-01-31"}"#),
        ("POST", "/v1/tokens", #"{"name": "m", "role": "publisher", "project": "shop"}"#),
        ("PUT", "/v1/projects/default/details", #"{"enviroment": "PRODUCTION"}"#),
        ("POST", "/v1/projects/default/webhooks", #"{"url": "https://example.com", "event": []}"#),
    ])
    func aMisspeltMemberIsRefusedAndChangesNothing(
        method: String, path: String, body: String
    ) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let answer = try await server.administer(
                method, path, body: JSONNode(jsonData: Data(body.utf8)), fields: ["If-Match: *"])
            #expect(answer.status == 400)
            #expect(answer.error?.message.contains("does not exist here") == true)
        }
    }

    @Test(arguments: [("gzip", 415), ("br", 415), ("identity", 400)])
    func aCompressedBodyIsRefusedAsSuch(coding: String, status: Int) async throws {
        let answer = try await RunningServer.with(store: InMemoryTemplateStore()) {
            try await $0.administer(
                "PUT", "/v1/projects/default/remoteConfig", body: [],
                fields: ["If-Match: *", "Content-Encoding: \(coding)"])
        }
        #expect(answer.status == status)
        #expect(answer.error?.message.contains("encoded as \(coding)") == (status == 415))
        #expect((answer.fields["accept-encoding"] == "identity") == (status == 415))
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"])
    func aRefusedMethodIsAnsweredWithTheAllowedOnes(method: String) async throws {
        try await RunningServer.with { server in
            for target in [
                "/activeconfig", "/activeconfig/user/1", "/active_config", "/health/live",
            ] {
                let answer = try await server.answer(target, method: method)
                #expect(answer.status == 405)
                #expect(answer.fields["allow"] == "GET, HEAD")
                #expect(answer.error?.code == 405)
                #expect(answer.error?.status == "METHOD_NOT_ALLOWED")
            }
            #expect(await server.status("/nothing", method: method) == 404)
        }
    }

    @Test func anErrorForHEADHasNoBody() async throws {
        try await RunningServer.with { server in
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(method: "HEAD", target: "/nothing")
                #expect(await connection.receiveStatus(isHead: true) == 404)
                connection.send(target: "/activeconfig")
                #expect(await connection.receiveStatus() == 200)
            }
        }
    }

    @Test func theServerRefusesABodyOverTheLimit() async throws {
        var limits = ServerLimits()
        limits.bodyBytes = 1_000
        try await RunningServer.with(limits: limits) { server in
            for (size, status) in [(1_000, 200), (1_001, 413)] {
                let body = String(repeating: "x", count: size)
                let announced = try await server.answer("/activeconfig", body: body)
                #expect(announced.status == status)
                let chunks = "\(String(size, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
                let chunked = try await HTTPConnection.open(port: server.port) { connection in
                    connection.send(
                        target: "/activeconfig", fields: ["Transfer-Encoding: chunked"])
                    connection.send(chunks)
                    return try await connection.receive()
                }
                #expect(chunked.status == status)
                if status == 413 {
                    #expect(announced.error?.status == "PAYLOAD_TOO_LARGE")
                    #expect(chunked.error?.code == 413)
                    #expect(chunked.fields["connection"] == "close")
                }
            }
        }
    }

    @Test(arguments: [
        ("1000000000000", 413), ("9223372036854775807", 413), ("9223372036854775808", 413),
        ("18446744073709551615", 413), ("18446744073709551616", 400),
    ])
    func theServerRefusesAHugeBodyBeforeItIsSent(length: String, status: Int) async throws {
        try await RunningServer.with { server in
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(
                    method: "POST", target: "/activeconfig", fields: ["Content-Length: \(length)"])
                #expect(await connection.receiveStatus() == status)
                #expect(await connection.receiveEnd().isEmpty)
            }
        }
    }

    /// Heads that exceed 4,096 bytes or 20 fields.
    static let largeHeads: [NamedRow<(target: String, fields: [String])>] = [
        .init("one field", ("/activeconfig", ["X: \(String(repeating: "x", count: 5_000))"])),
        .init("a field's name", ("/activeconfig", ["\(String(repeating: "x", count: 5_000)): 1"])),
        .init(
            "all fields together",
            ("/activeconfig", (0..<10).map { "X\($0): \(String(repeating: "x", count: 500))" })),
        .init("number of fields", ("/activeconfig", (0..<30).map { "X\($0): 1" })),
        .init("path", ("/activeconfig/user/\(String(repeating: "x", count: 5_000))", [])),
        .init("query", ("/activeconfig?x=\(String(repeating: "x", count: 5_000))", [])),
    ]

    @Test(arguments: largeHeads)
    func theServerRefusesAHeadOverTheLimit(
        row: NamedRow<(target: String, fields: [String])>
    ) async throws {
        var limits = ServerLimits()
        limits.headerBytes = 4_096
        limits.headerFields = 20
        let answer = try await RunningServer.with(limits: limits) {
            try await $0.answer(row.value.target, fields: row.value.fields)
        }
        #expect(answer.status == 431)
        #expect(answer.error?.code == 431)
        #expect(answer.error?.status == "REQUEST_HEADER_FIELDS_TOO_LARGE")
        #expect(answer.fields["connection"] == "close")
    }

    @Test func theServerRefusesAHeadOverTheDefaultLimit() async throws {
        let userID = String(repeating: "x", count: 140_000)
        let answer = try await RunningServer.with {
            try await $0.answer("/activeconfig/user/\(userID)")
        }
        #expect(answer.status == 431)
    }

    static let brokenRequests: [NamedRow<String>] = [
        .init("no HTTP", "hello\r\n\r\n"),
        .init("TLS", "\u{16}\u{03}\u{01}\u{02}\r\n\r\n"),
        .init("no version", "GET /activeconfig\r\n\r\n"),
        .init("HTTP/2", "GET /activeconfig HTTP/2.0\r\nHost: a\r\n\r\n"),
        .init("unknown method", "FETCH /activeconfig HTTP/1.1\r\nHost: a\r\n\r\n"),
        .init("no host", "GET /activeconfig HTTP/1.1\r\n\r\n"),
        .init("two hosts", "GET /activeconfig HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
        .init("no colon", "GET /activeconfig HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n"),
        .init("space in a name", "GET /activeconfig HTTP/1.1\r\nHost: a\r\nA B: c\r\n\r\n"),
        .init("NUL in a value", "GET /activeconfig HTTP/1.1\r\nHost: a\r\nA: \0\r\n\r\n"),
        .init("a length in words", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n"),
        .init("a negative length", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"),
        .init(
            "a length beyond Int64",
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n"),
        .init(
            "two lengths",
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx"),
        .init(
            "a length and chunks",
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "0\r\n\r\n"),
        .init(
            "a chunk without a size",
            "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
    ]

    @Test(arguments: ["gzip, chunked", "gzip,chunked", "x\r\nTransfer-Encoding: chunked"])
    func aTransferCodingOtherThanChunksIsRefused(codings: String) async throws {
        try await RunningServer.with { server in
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(
                    "GET /activeconfig HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \(codings)\r\n\r\n"
                        + "0\r\n\r\n")
                let answer = try await connection.receive()
                #expect(answer.status == 400)
                #expect(answer.error?.status == "INVALID_ARGUMENT")
                #expect(answer.fields["connection"] == "close")
                #expect(await connection.receiveEnd().isEmpty)
            }
        }
    }

    @Test(arguments: ["chunked", "Chunked"])
    func chunksAreRead(coding: String) async throws {
        try await RunningServer.with { server in
            try await HTTPConnection.open(port: server.port) { connection in
                for _ in 1...2 {
                    connection.send(
                        "GET /activeconfig HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \(coding)\r\n"
                            + "\r\n0\r\n\r\n")
                    #expect(await connection.receiveStatus() == 200)
                }
            }
        }
    }

    @Test(arguments: brokenRequests)
    func brokenRequestsAreAnsweredWithTheErrorBody(row: NamedRow<String>) async throws {
        try await RunningServer.with { server in
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(row.value)
                let answer = try await connection.receive()
                #expect(answer.status == 400)
                #expect(answer.error?.status == "INVALID_ARGUMENT")
                #expect(answer.fields["connection"] == "close")
                #expect(await connection.receiveEnd().isEmpty)
            }
        }
    }
}
