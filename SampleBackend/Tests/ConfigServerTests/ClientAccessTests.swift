import Foundation
import InMemoryTemplateStore
import JWTKit
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ClientAPI
@testable import ConfigServer
@testable import HTTPServing

/// Access of clients to configurations (PROTOCOL 1).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ClientAccessTests {
    private struct Token: JWTPayload {
        var sub: SubjectClaim
        var exp: ExpirationClaim? = ExpirationClaim(value: Date() + 600)

        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    @Test func clientRoutesRequireAnAPIKey() async throws {
        var options = ConfigServerOptions()
        options.clientAccess = ClientAccess(keys: ["key-1", "key-2"], userTokens: nil)
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            try await server.publish(.sample)
            for target in [
                "/activeconfig", "/activeconfig/user/1", "/projects/no/activeconfig",
                "/activeconfig/user/1/events", "/ofrep/v1/evaluate/events",
            ] {
                let status = try await server.answer(target).status
                #expect(status == 401, "\(target)")
            }
            let target = "/activeconfig/user/1"
            for field in ["X-API-Key: key-1", "X-API-Key: key-2", "Authorization: Bearer key-2"] {
                #expect(try await server.answer(target, fields: [field]).status == 200)
            }
            for field in ["X-API-Key: key-3", "X-API-Key: ", "Authorization: Basic key-1"] {
                #expect(try await server.answer(target, fields: [field]).status == 401)
            }
            #expect(try await server.answer("/health/live").status == 200)
        }
    }

    @Test func clientRoutesRequireATokenOfTheUser() async throws {
        let secret = "a-secret-of-thirty-two-characters"
        let keys = await JWTKeyCollection()
            .add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
        let others = await JWTKeyCollection()
            .add(hmac: HMACKey(from: "another-secret-of-32-characters!"), digestAlgorithm: .sha256)
        var options = ConfigServerOptions()
        options.clientAccess = ClientAccess(
            keys: [], userTokens: try await UserTokenVerifier(secret: Secret(secret)))
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            try await server.publish(.sample)
            let good = try await keys.sign(Token(sub: "ada/1"))
            let expired = try await keys.sign(
                Token(sub: "ada/1", exp: ExpirationClaim(value: Date() - 10)))
            let forged = try await others.sign(Token(sub: "ada/1"))
            let unsigned = good.split(separator: ".").prefix(2).joined(separator: ".") + "."
            let rows: [(token: String?, target: String, status: Int)] = [
                (good, "/activeconfig/user/ada%2F1", 200),
                (good, "/activeconfig", 200),
                (good, "/activeconfig/user/ada/events", 403),
                (forged, "/activeconfig/user/ada%2F1/events", 401),
                (nil, "/activeconfig/events", 401),
                (nil, "/ofrep/v1/evaluate/events?targetingKey=a", 401),
                (good, "/ofrep/v1/evaluate/events?targetingKey=a", 403),
                (good, "/activeconfig/user/ada", 403),
                (good, "/projects/nothing/activeconfig/user/ada", 403),
                (good, "/active_config?userID=ada/1", 200),
                (good, "/active_config?userID=bob", 403),
                (good, "/active%5Fconfig?userID=bob", 403),
                (expired, "/activeconfig/user/ada%2F1", 401),
                (forged, "/activeconfig/user/ada%2F1", 401),
                (unsigned, "/activeconfig/user/ada%2F1", 401),
                ("x", "/activeconfig/user/ada%2F1", 401),
                (nil, "/activeconfig/user/ada%2F1", 401),
                (nil, "/activeconfig", 401),
            ]
            for row in rows {
                let fields = row.token.map { ["Authorization: Bearer \($0)"] } ?? []
                let answer = try await server.answer(row.target, fields: fields)
                #expect(answer.status == row.status, "\(row)")
            }
        }
    }

    @Test func theServerTellsBrowsersWhichOriginsMayRead() async throws {
        var options = ConfigServerOptions()
        options.crossOriginAccess = CrossOriginAccess(origins: ["https://app.example"])
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            try await server.publish(.sample)
            let target = "/activeconfig/user/1"
            let allowed = try await server.answer(
                target, fields: ["Origin: https://app.example"])
            #expect(allowed.fields["access-control-allow-origin"] == "https://app.example")
            #expect(allowed.fields["vary"] == "Origin")
            let other = try await server.answer(target, fields: ["Origin: https://evil.example"])
            #expect(other.fields["access-control-allow-origin"] == nil)
            // Makes a shared cache separate responses by origin.
            #expect(other.fields["vary"] == "Origin")
            #expect(try await server.answer(target).fields["vary"] == "Origin")
            let preflight = try await server.answer(
                target, method: "OPTIONS", fields: ["Origin: https://app.example"])
            #expect(preflight.status == 204)
            #expect(preflight.fields["access-control-allow-headers"]?.contains("X-API-Key") == true)
            let administration = try await server.administer(
                "GET", "/v1/projects/default/remoteConfig", fields: ["Origin: https://app.example"])
            #expect(administration.fields["access-control-allow-origin"] == nil)
        }
    }

    @Test func noOriginIsAllowedByDefault() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let answer = try await server.answer(
                "/activeconfig", fields: ["Origin: https://app.example"])
            #expect(answer.status == 200)
            #expect(answer.fields["access-control-allow-origin"] == nil)
            #expect(try await server.answer("/activeconfig", method: "OPTIONS").status == 405)
        }
    }

    @Test func theServerLimitsTheRequestRateOfAnAddress() async throws {
        var limits = ServerLimits()
        limits.requestsPerSecond = 1
        try await RunningServer.with(limits: limits) { server in
            var answers: [HTTPAnswer] = []
            for _ in 1...20 { answers.append(try await server.answer("/activeconfig")) }
            #expect(answers.first?.status == 200)
            let refused = try #require(answers.first { $0.status != 200 })
            #expect(refused.status == 429)
            #expect(refused.error?.status == "RESOURCE_EXHAUSTED")
            #expect(refused.fields["retry-after"] == "1")
        }
    }
}
