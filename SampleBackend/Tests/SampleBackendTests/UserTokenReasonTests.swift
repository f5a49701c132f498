import Foundation
import JSONTree
import JWTKit
import SeededRandomness
import ServerTestSupport
import Testing

/// The reason for refusing a user's token: the operator finds it in the log, the client does not
/// receive it.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UserTokenReasonTests {
    private struct Claims: JWTPayload {
        var sub: SubjectClaim? = "ada"
        var exp: ExpirationClaim? = ExpirationClaim(value: Date() + 600)
        var nbf: NotBeforeClaim?
        var iss: IssuerClaim? = "issuer"
        var aud: AudienceClaim? = "app"

        func verify(using algorithm: some JWTAlgorithm) throws {}
    }

    /// A refused token, and a word of the reason.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let name: String
        let word: String
        let token: @Sendable () async throws -> String

        var testDescription: String { name }
    }

    private static let options = [
        "--user-token-secret", UserToken.secret, "--user-token-issuer", "issuer",
        "--user-token-audience", "app",
    ]

    private static func token(
        secret: String = UserToken.secret, kid: String? = nil,
        _ change: (inout Claims) -> Void = { _ in }
    ) async throws -> String {
        var claims = Claims()
        change(&claims)
        var header = JWTHeader()
        header.kid = kid
        return try await JWTKeyCollection().add(
            hmac: HMACKey(from: secret), digestAlgorithm: .sha256
        ).sign(claims, header: header)
    }

    static let refusals: [Refusal] = [
        Refusal(name: "expired", word: "expired") {
            try await token { $0.exp = ExpirationClaim(value: Date() - 10) }
        },
        Refusal(name: "no exp", word: "exp") { try await token { $0.exp = nil } },
        Refusal(name: "not yet valid", word: "nbf") {
            try await token { $0.nbf = NotBeforeClaim(value: Date() + 600) }
        },
        Refusal(name: "audience", word: "aud") { try await token { $0.aud = "web" } },
        Refusal(name: "no audience", word: "aud") { try await token { $0.aud = nil } },
        Refusal(name: "issuer", word: "iss") { try await token { $0.iss = "other" } },
        Refusal(name: "no subject", word: "sub") { try await token { $0.sub = nil } },
        Refusal(name: "key", word: "key") {
            try await token(secret: "another secret of at least 32 bytes, for HS256")
        },
        Refusal(name: "no JWT", word: "JWT") { "no.token" },
    ]

    @Test(arguments: refusals)
    func theLogSaysWhyATokenIsRefusedAndTheAnswerDoesNot(refusal: Refusal) async throws {
        let backend = try await RunningBackend(
            ["--dev", "--log-level", "debug"] + Self.options)
        func answer(_ token: String) async throws -> HTTPAnswer {
            try await backend.answer(
                "/activeconfig/user/ada", fields: ["Authorization: Bearer \(token)"])
        }
        #expect(try await answer(Self.token()).status == 200)
        let token = try await refusal.token()
        let refused = try await answer(token)
        let unknown = try await answer("x")
        #expect(refused.status == 401)
        #expect(refused.body == unknown.body)
        #expect(refused.error?.message.contains("expired") == true)
        let missing = try await backend.answer("/activeconfig/user/ada")
        #expect(missing.status == 401)
        #expect(missing.body != refused.body)
        #expect(missing.error?.message.contains("expired") == false)
        let log = await backend.stop()
        let lines = log.filter { $0.contains("token of a user was refused") }
        #expect(lines.count == 2, "\(log)")
        #expect(lines.first?.contains(refusal.word) == true, "\(lines)")
        #expect(!log.contains { $0.contains(token) })
    }

    @Test func theLogDoesNotSayItAtInfo() async throws {
        let backend = try await RunningBackend(["--dev"] + Self.options)
        let refused = try await backend.answer(
            "/activeconfig/user/ada", fields: ["Authorization: Bearer x"])
        #expect(refused.status == 401)
        #expect(!(await backend.stop()).contains { $0.contains("was refused") })
    }

    @Test(arguments: refusals)
    func doctorSaysWhyATokenIsRefused(refusal: Refusal) async throws {
        let token = try await refusal.token()
        let run = try await CommandRun(["doctor", "--explain-token", token] + Self.options)
        #expect(run.exitCode == 1, "\(run)")
        #expect(run.output.contains(refusal.word), "\(run)")
        #expect(!run.description.contains(token))
    }

    @Test func doctorSaysWhoseAValidTokenIs() async throws {
        let run = try await CommandRun(
            ["doctor", "--json", "--explain-token", try await Self.token()] + Self.options)
        #expect(run.exitCode == 0, "\(run)")
        let findings = try run.json["findings"]?.arrayValue
        #expect(findings?.count == 1)
        #expect(findings?.first?["subject"] == "user token")
        #expect(findings?.first?["message"]?.stringValue?.contains("ada") == true)
    }

    @Test func doctorTakesATokenWithBlanksAroundIt() async throws {
        let run = try await CommandRun(
            ["doctor", "--explain-token", " \(try await Self.token())\n"] + Self.options)
        #expect(run.exitCode == 0, "\(run)")
    }

    @Test func doctorExplainsATokenOnlyByTheKeysOfTheServer() async throws {
        let run = try await CommandRun(["doctor", "--explain-token", "x"])
        #expect(run.exitCode == 64, "\(run)")
        #expect(run.error.contains("--user-token-secret"), "\(run)")
    }
}
