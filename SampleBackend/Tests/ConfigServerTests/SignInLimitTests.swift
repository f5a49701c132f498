import AdminAPI
import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ConfigServer
@testable import HTTPServing

/// Attempts to guess an administrator's token are rate limited on every route.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SignInLimitTests {
    /// Request that tries a token.
    struct Guess: Sendable {
        var method = "GET"
        let target: String
        var fields: [String] = []
        var body = ""
    }

    static let guesses: [NamedRow<Guess>] = [
        NamedRow("sign-in", Guess(method: "POST", target: "/console/session", body: body)),
        NamedRow(
            "sign-in, absolute form",
            Guess(method: "POST", target: "http://localhost/console/session", body: body)),
        NamedRow(
            "sign-in, absolute form of another scheme",
            Guess(method: "POST", target: "HTTPS://localhost/console/session?a", body: body)),
        NamedRow("bearer", Guess(target: "/v1/projects", fields: bearer)),
        NamedRow(
            "bearer, absolute form", Guess(target: "http://localhost/v1/projects", fields: bearer)),
        NamedRow("bearer, encoded path", Guess(target: "/%761/projects", fields: bearer)),
        NamedRow(
            "bearer, any route",
            Guess(method: "DELETE", target: "/v1/tokens/x", fields: bearer)),
        NamedRow("bearer, no route", Guess(target: "/v1/nothing", fields: bearer)),
        NamedRow(
            "bearer, bulk",
            Guess(
                method: "PUT", target: "/v1/projects/default/remoteConfig", fields: bearer,
                body: "{}")),
        NamedRow("cookie", Guess(target: "/v1/projects", fields: cookie)),
        NamedRow("cookie of the session", Guess(target: "/console/session", fields: cookie)),
        NamedRow(
            "cookie under TLS",
            Guess(
                target: "/v1/projects",
                fields: [
                    "X-Forwarded-Proto: https", "Cookie: __Host-activeconfig_session=d3Jvbmc",
                ])),
    ]

    private static let body = #"{"token":"wrong"}"#
    private static let bearer = ["Authorization: Bearer wrong"]
    private static let cookie = ["Cookie: activeconfig_session=d3Jvbmc"]

    @Test(arguments: guesses)
    func theServerLimitsTheRateOfGuessesOnEachRoute(row: NamedRow<Guess>) async throws {
        var options = ConfigServerOptions()
        options.administratorLimits.wrongTokensPerSecond = 5
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            let session = try await server.signIn()
            let guess = row.value
            var statuses: [Int: Int] = [:]
            // Slow machines regain attempts meanwhile, so this continues until one is refused.
            try await waitUntil {
                let answer = try await server.answer(
                    guess.target, method: guess.method, fields: guess.fields, body: guess.body)
                statuses[answer.status, default: 0] += 1
                if answer.status == 429 { #expect(answer.fields["retry-after"] == "1") }
                return answer.status == 429
            }
            #expect(statuses[429] == 1)
            // The limit does not affect valid requests.
            for _ in 0..<20 {
                #expect(try await server.administer("GET", "/v1/projects").status == 200)
                #expect(
                    try await server.answer("/v1/projects", fields: session.fields).status == 200)
                #expect(await server.status("/v1/projects") == 401)
                #expect(await server.status("/activeconfig") == 404)
            }
        }
    }

    @Test func guessesCountTogetherWhereverTheyGo() async throws {
        var options = ConfigServerOptions()
        options.administratorLimits.wrongTokensPerSecond = 1
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            try await waitUntil {
                try await server.answer("/v1/projects", fields: Self.bearer).status == 429
            }
            // A separate limit for this route would allow ten attempts.
            var statuses: [Int] = []
            for _ in 0..<9 {
                let answer = try await server.answer("/console/session", fields: Self.cookie)
                statuses.append(answer.status)
            }
            #expect(statuses.contains(429), "\(statuses)")
        }
    }
}
