import Foundation
import InMemoryTemplateStore
import JSONTree
import JWTKit
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ClientAPI
@testable import ConfigServer
@testable import HTTPServing

/// Errors of OpenFeature's protocol (API 4).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct OFREPErrorsTests {
    private static let path = "/ofrep/v1/evaluate/flags"

    /// Checks that a body is an error of the protocol, for one flag or for all flags.
    private static func expect(
        _ answer: HTTPAnswer, _ status: Int, _ code: String, key: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(answer.status == status, sourceLocation: sourceLocation)
        let members = try #require(
            try answer.json.objectValue, "\(answer)", sourceLocation: sourceLocation)
        let names = (key == nil ? [] : ["key"]) + ["errorCode", "errorDetails"]
        #expect(Array(members.names) == names, sourceLocation: sourceLocation)
        #expect(members["key"]?.stringValue == key, sourceLocation: sourceLocation)
        #expect(members["errorCode"]?.stringValue == code, sourceLocation: sourceLocation)
        #expect(
            members["errorDetails"]?.stringValue?.isEmpty == false, sourceLocation: sourceLocation)
        #expect(
            answer.fields["content-type"] == "application/json", sourceLocation: sourceLocation)
    }

    @Test func theServerReportsMissingFlagsProjectsAndPaths() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.flags)
            let missing = try await server.answer(
                "\(Self.path)/Home/none", method: "POST", body: "{}")
            #expect(
                String(decoding: missing.body, as: UTF8.self)
                    == #"{"key":"Home/none","errorCode":"FLAG_NOT_FOUND","errorDetails":"#
                    + #""Unknown flag: use the form Section.setting, with the names of the "#
                    + #"template."}"#)
            for key in ["", "Home", "Home.", ".title", "none.title", "a/../b", "//"] {
                let answer = try await server.answer(
                    "\(Self.path)/\(key)", method: "POST", body: "{}")
                try Self.expect(answer, 404, "FLAG_NOT_FOUND", key: key)
            }
            let project = "/projects/none"
            try Self.expect(
                try await server.answer("\(project)\(Self.path)/a.b", method: "POST", body: "{}"),
                404, "FLAG_NOT_FOUND", key: "a.b")
            try Self.expect(
                try await server.answer("\(project)\(Self.path)", method: "POST", body: "{}"),
                404, "GENERAL")
            try Self.expect(
                try await server.answer("/ofrep/v1/configuration"), 404, "GENERAL")
        }
    }

    @Test func theServerRefusesInvalidBodiesAndContexts() async throws {
        let long = String(repeating: "x", count: 501)
        let many = (0...100).map { #""s\#($0)":1"# }.joined(separator: ",")
        let rows = [
            ("", "PARSE_ERROR"), ("{", "PARSE_ERROR"), ("[]", "PARSE_ERROR"),
            (#"{"context":[]}"#, "INVALID_CONTEXT"), (#"{"context":"x"}"#, "INVALID_CONTEXT"),
            (#"{"context":{"targetingKey":3}}"#, "INVALID_CONTEXT"),
            (#"{"context":{"app.version":"\#(long)"}}"#, "INVALID_CONTEXT"),
            (#"{"context":{"\#(long)":"x"}}"#, "INVALID_CONTEXT"),
            (#"{"context":{"":"x"}}"#, "INVALID_CONTEXT"),
            (#"{"context":{\#(many)}}"#, "INVALID_CONTEXT"),
        ]
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.flags)
            for (body, code) in rows {
                try Self.expect(
                    try await server.answer("\(Self.path)/Home.on", method: "POST", body: body),
                    400, code, key: "Home.on")
                try Self.expect(
                    try await server.answer(Self.path, method: "POST", body: body), 400, code)
            }
        }
    }

    @Test func aFlagWhoseValueIsAnArrayOrNullIsAnError() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.flags)
            for key in ["Odd.list", "Odd.nothing"] {
                try Self.expect(
                    try await server.answer("\(Self.path)/\(key)", method: "POST", body: "{}"),
                    400, "GENERAL", key: key)
            }
        }
    }

    @Test func refusalsOfTheConnectionHaveTheFormOfTheProtocol() async throws {
        var limits = ServerLimits()
        limits.bodyBytes = 100
        var options = ConfigServerOptions()
        options.limits = limits
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            let large = try await server.answer(
                "\(Self.path)/a/b", method: "POST", body: String(repeating: " ", count: 101))
            try Self.expect(large, 413, "GENERAL", key: "a/b")
            let wrong = try await server.answer(Self.path)
            try Self.expect(wrong, 405, "GENERAL")
            #expect(wrong.fields["allow"] == "POST")
        }
    }

    @Test func aRateLimitedAnswerTellsInSecondsWhenToRetry() async throws {
        var options = ConfigServerOptions()
        options.limits.requestsPerSecond = 1
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            try await HTTPConnection.open(port: server.port) { connection in
                // Sent in one write, so that several arrive within a second even on a busy machine.
                let request =
                    "POST \(Self.path)/a%2Eb HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"
                connection.send(String(repeating: request, count: 20))
                try Self.expect(
                    try await connection.receive(), 404, "FLAG_NOT_FOUND", key: "a.b")
                var refused = try await connection.receive()
                for _ in 0..<18 where refused.status == 404 {  // deadline: all arrive in one write
                    refused = try await connection.receive()
                }
                try Self.expect(refused, 429, "GENERAL", key: "a.b")
                #expect(refused.fields["retry-after"] == "1")
            }
        }
    }

    @Test func flagRequestsFollowTheRulesOfClientAccess() async throws {
        struct Token: JWTPayload {
            var sub: SubjectClaim
            var exp = ExpirationClaim(value: Date() + 600)

            func verify(using algorithm: some JWTAlgorithm) async throws {}
        }
        let secret = "a-secret-of-thirty-two-characters"
        let keys = await JWTKeyCollection().add(
            hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
        var options = ConfigServerOptions()
        options.clientAccess = ClientAccess(
            keys: ["key-1"], userTokens: try await UserTokenVerifier(secret: Secret(secret)))
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            try await server.publish(.flags)
            let authorization = "Authorization: Bearer \(try await keys.sign(Token(sub: "3")))"
            let key = "X-API-Key: key-1"
            let rows: [([String], String, Int)] = [
                ([], "3", 401), ([authorization], "3", 401), ([key], "3", 401),
                ([key, authorization], "4", 403), ([key, authorization], "3", 200),
            ]
            for (fields, user, status) in rows {
                let body = #"{"context":{"targetingKey":"\#(user)"}}"#
                let single = try await server.answer(
                    "\(Self.path)/Home.on", method: "POST", fields: fields, body: body)
                let all = try await server.answer(
                    Self.path, method: "POST", fields: fields, body: body)
                #expect(single.status == status && all.status == status, "\(fields) \(user)")
                guard status != 200 else { continue }
                try Self.expect(single, status, "GENERAL", key: "Home.on")
                try Self.expect(all, status, "GENERAL")
            }
        }
    }

    @Test func pagesOfAllowedOriginsMayRequestFlags() async throws {
        var options = ConfigServerOptions()
        options.crossOriginAccess = CrossOriginAccess(origins: ["https://app.example"])
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            try await server.publish(.flags)
            let origin = "Origin: https://app.example"
            let preflight = try await server.answer(Self.path, method: "OPTIONS", fields: [origin])
            #expect(preflight.status == 204)
            #expect(preflight.fields["access-control-allow-methods"]?.contains("POST") == true)
            #expect(
                preflight.fields["access-control-allow-headers"]?.contains("Content-Type") == true)
            let answer = try await server.answer(
                Self.path, method: "POST", fields: [origin], body: "{}")
            #expect(answer.fields["access-control-allow-origin"] == "https://app.example")
            #expect(
                answer.fields["access-control-expose-headers"]
                    == "ETag, Retry-After, Preference-Applied, ActiveConfig-Template-Version, "
                    + "ActiveConfig-Signature, ActiveConfig-Acknowledge")
        }
    }
}
