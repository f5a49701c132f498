import Foundation
import HTTPServing
import InMemoryTemplateStore
import JSONTree
import JWTKit
import Logging
import NIOConcurrencyHelpers
import SeededRandomness
import ServerTestSupport
import TemplateStore
import TemporaryFolders
import Testing

@testable import ClientAPI
@testable import ConfigServer

/// Reloading the keys of users' tokens.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UserTokenVerifierTests {
    private struct Claims: JWTPayload {
        var sub: SubjectClaim = "ada"
        var exp = ExpirationClaim(value: Date() + 600)

        func verify(using algorithm: some JWTAlgorithm) throws {}
    }

    /// Key set with one P-256 key.
    private static func keySet(_ key: ES256PrivateKey, kid: String) throws -> Data {
        func encoded(_ text: String) -> String {
            text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        let parameters = try #require(key.parameters)
        let node: JSONNode = [
            "keys": [
                [
                    "kty": "EC", "crv": "P-256", "kid": .string(kid),
                    "x": .string(encoded(parameters.x)), "y": .string(encoded(parameters.y)),
                ]
            ]
        ]
        return node.jsonData()
    }

    @Test func theFileIsReadAtMostOnceAMinute() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.url.appendingPathComponent("keys.json")
        let key = ES256PrivateKey()
        @Sendable func token(_ kid: String) async throws -> String {
            var header = JWTHeader()
            header.kid = kid
            return try await JWTKeyCollection().add(ecdsa: key).sign(Claims(), header: header)
        }
        try Self.keySet(key, kid: "1").write(to: file)
        let start = ContinuousClock.now
        let time = NIOLockedValueBox(start)
        var options = ConfigServerOptions()
        options.clientAccess = ClientAccess(
            keys: [],
            userTokens: try await UserTokenVerifier(
                keySetFile: file.path, rules: UserTokenRules(),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                now: { time.withLockedValue { $0 } }))
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            try await server.publish(.sample)
            // The first unknown key triggers a reload at once; each later reload comes after a
            // minute at the earliest.
            for (kid, seconds, status) in [
                ("1", 0, 200), ("2", 0, 200), ("3", 1, 401), ("4", 59, 401), ("5", 61, 200),
                ("6", 120, 401), ("7", 122, 200),
            ] {
                time.withLockedValue { $0 = start + .seconds(seconds) }
                try Self.keySet(key, kid: kid).write(to: file)
                let answer = try await server.answer(
                    "/activeconfig/user/ada",
                    fields: ["Authorization: Bearer \(try await token(kid))"])
                #expect(answer.status == status, "\(kid)")
            }
        }
    }

    @Test func manyUnknownKeysAtOnceReadTheFileOnce() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.url.appendingPathComponent("keys.json")
        let key = ES256PrivateKey()
        try Self.keySet(key, kid: "old").write(to: file)
        var options = ConfigServerOptions()
        options.clientAccess = ClientAccess(
            keys: [],
            userTokens: try await UserTokenVerifier(
                keySetFile: file.path,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        try Self.keySet(key, kid: "new").write(to: file)
        var header = JWTHeader()
        header.kid = "new"
        let token = try await JWTKeyCollection().add(ecdsa: key).sign(Claims(), header: header)
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            try await server.publish(.sample)
            // Requests during the reload wait for it.
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        try await server.answer(
                            "/activeconfig/user/ada", fields: ["Authorization: Bearer \(token)"]
                        ).status
                    }
                }
                for try await status in group { #expect(status == 200) }
            }
        }
    }

    /// A token is parsed before its signature is verified, so its size bounds the work.
    @Test(arguments: [(10_000, 200), (20_000, 401)])
    func aTokenIsNotTooLong(length: Int, status: Int) async throws {
        struct LongClaims: JWTPayload {
            var sub: SubjectClaim = "ada"
            var exp = ExpirationClaim(value: Date() + 600)
            var note: String

            func verify(using algorithm: some JWTAlgorithm) throws {}
        }
        let secret = String(repeating: "s", count: 32)
        let token = try await JWTKeyCollection().add(
            hmac: HMACKey(from: secret), digestAlgorithm: .sha256
        ).sign(LongClaims(note: String(repeating: "x", count: length)))
        var options = ConfigServerOptions()
        options.clientAccess = ClientAccess(
            keys: [], userTokens: try await UserTokenVerifier(secret: Secret(secret)))
        try await RunningServer.with(store: InMemoryTemplateStore(), options: options) { server in
            try await server.publish(.sample)
            let answer = try await server.answer(
                "/activeconfig/user/ada", fields: ["Authorization: Bearer \(token)"])
            #expect(answer.status == status)
        }
    }
}
