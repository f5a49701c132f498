import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import AdminAPI
@testable import ConfigServer
@testable import HTTPServing

/// Signing in to the console and out of it (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SessionRoutesTests {
    private static let path = "/console/session"

    /// Stores a new token.
    private static func makeToken(
        _ name: String = "Ada", in store: any TemplateStore, role: StoredToken.Role = .editor,
        expirationDate: Date? = nil
    ) async throws -> AccessToken {
        let token = AccessToken(
            name: name, role: role, date: Date(), expirationDate: expirationDate)
        try await store.addToken(token.stored, actor: "test")
        return token
    }

    @Test func theServerBeginsShowsAndEndsASession() async throws {
        let store = InMemoryTemplateStore()
        let token = try await Self.makeToken(in: store)
        try await RunningServer.with(store: store) { server in
            #expect(await server.status(Self.path) == 204)
            let begun = try await server.administer(
                "POST", Self.path, body: ["token": .string(token.text)], token: nil)
            #expect(begun.status == 200)
            #expect(begun.fields["cache-control"] == "no-store")
            #expect(try begun.json["name"] == "Ada")
            #expect(try begun.json["role"] == "editor")
            #expect(!String(decoding: begun.body, as: UTF8.self).contains(token.text))
            let session = try ConsoleSession(begun)
            let shown = try await server.answer(Self.path, fields: session.fields)
            #expect(shown.status == 200)
            #expect(shown.body == begun.body)
            #expect(try shown.json["owner"] == .null)
            #expect(try shown.json["bypass"] == .bool(false))
            // Signing out needs neither a proof nor a session.
            for fields in [session.fields, []] {
                let ended = try await server.answer(Self.path, method: "DELETE", fields: fields)
                #expect(ended.status == 204)
                #expect(
                    ended.fields["set-cookie"]
                        == "activeconfig_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")
            }
        }
    }

    @Test(arguments: [
        (nil, "activeconfig_session"), ("localhost", "activeconfig_session"),
        ("localhost:8080", "activeconfig_session_8080"), ("[::1]", "activeconfig_session"),
        ("[::1]:65535", "activeconfig_session_65535"), ("a:b; c", "activeconfig_session"),
    ])
    func theServersOfOneHostHaveCookiesOfTheirOwn(host: String?, name: String) {
        for (isSecure, prefix) in [(false, ""), (true, "__Host-")] {
            let cookie = SessionCookie(host: host, isSecure: isSecure)
            #expect(cookie.setting("x").hasPrefix("\(prefix)\(name)=x; "))
            #expect(cookie.text(in: "other=1; \(prefix)\(name)=y") == "y")
        }
    }

    @Test func theCookieIsKeptFromScriptsAndOtherSites() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let body: JSONNode = ["token": .string(RunningServer.administratorToken)]
            let plain = try await server.administer("POST", Self.path, body: body, token: nil)
            let flags = "; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200"
            let field = try #require(plain.fields["set-cookie"])
            #expect(field.hasPrefix("activeconfig_session="))
            #expect(field.hasSuffix(flags))
            let proxied = ["X-Forwarded-Proto: https"]
            let secure = try await server.administer(
                "POST", Self.path, body: body, token: nil, fields: proxied)
            let secureField = try #require(secure.fields["set-cookie"])
            #expect(secureField.hasPrefix("__Host-activeconfig_session="))
            #expect(secureField.hasSuffix(flags + "; Secure"))
            // A site on a sibling host can set the plain cookie, so under TLS it does not count.
            let cookies = try [ConsoleSession(plain), ConsoleSession(secure)]
            for (cookie, status) in zip(cookies, [204, 200]) {
                let answer = try await server.answer(Self.path, fields: cookie.fields + proxied)
                #expect(answer.status == status)
            }
        }
    }

    @Test func aSessionIsValidAtEveryReplicaAndAfterARestart() async throws {
        let store = InMemoryTemplateStore()
        let token = try await Self.makeToken(in: store)
        let session = try await RunningServer.with(store: store) { first in
            try await RunningServer.with(store: store) { second in
                let session = try await first.signIn(token: token.text)
                let answer = try await second.answer(Self.path, fields: session.fields)
                #expect(answer.status == 200)
                #expect(try answer.json["csrfToken"] == .string(session.proof))
                return session
            }
        }
        try await RunningServer.with(store: store) { third in
            let answer = try await third.answer(Self.path, fields: session.fields)
            #expect(answer.status == 200)
        }
    }

    @Test func theSessionComesWithWhatAPageGetsFirst() async throws {
        let store = InMemoryTemplateStore()
        let editor = try await Self.makeToken(in: store)
        let viewer = try await Self.makeToken("Bob", in: store, role: .viewer)
        try await RunningServer.with(store: store, options: .withoutSignInLimit) { server in
            let published = try await server.administer(
                "PUT", "/v1/projects/default/remoteConfig", body: ["parameters": [:]],
                fields: ["If-Match: *"])
            #expect(published.status == 200)
            let paths = [
                "/v1/projects", "/v1/projects/default/remoteConfig",
                "/v1/projects/default/draft", "/v1/projects/none/remoteConfig", "/v1/tokens",
                "/v1/nothing", "activeconfig", "/activeconfig",
            ]
            let query = paths.map { "get=\($0.replacing("/", with: "%2F"))" }.joined(separator: "&")
            for (token, count) in [(editor, 3), (viewer, 2)] {
                let session = try await server.signIn(token: token.text)
                let shown = try await server.answer(
                    "\(Self.path)?\(query)", fields: session.fields)
                #expect(shown.status == 200)
                #expect(shown.fields["cache-control"] == "no-store")
                #expect(try shown.json["csrfToken"] == .string(session.proof))
                let answers = try #require(try shown.json["answers"]?.arrayValue)
                #expect(answers.count == count)
                for (answer, path) in zip(answers, paths) {
                    #expect(answer["path"] == .string(path))
                    let own = try await server.answer(path, fields: session.fields)
                    #expect(answer["status"] == .number("\(own.status)"))
                    #expect(answer["etag"] == own.fields["etag"].map { .string($0) } ?? .null)
                    #expect(try answer["body"] == (own.body.isEmpty ? .null : own.json))
                }
            }
            #expect(await server.status("\(Self.path)?get=%2Fv1%2Fprojects") == 204)
            let session = try await server.signIn(token: editor.text)
            let many = Array(repeating: "get=%2Fv1%2Fprojects", count: 9).joined(separator: "&")
            #expect(await server.status("\(Self.path)?\(many)") == 400)
            let refused = try await server.answer("\(Self.path)?\(many)", fields: session.fields)
            #expect(refused.status == 400)
            // A page of another session learns whose this one is, and reads nothing with it.
            for (fields, count) in [
                (session.fields + ["X-CSRF-Token: wrong"], nil), (session.changingFields, 1),
            ] {
                let shown = try await server.answer(
                    "\(Self.path)?get=%2Fv1%2Fprojects", fields: fields)
                #expect(shown.status == 200)
                #expect(try shown.json["csrfToken"] == .string(session.proof))
                #expect(try shown.json["answers"]?.arrayValue?.count == count)
            }
        }
    }

    @Test func aSessionEndsOnTheServerAtSignOut() async throws {
        let store = InMemoryTemplateStore()
        let token = try await Self.makeToken(in: store)
        try await RunningServer.with(store: store, options: .withoutSignInLimit) { server in
            let session = try await server.signIn(token: token.text)
            let other = try await server.signIn(token: token.text)
            let ended = try await server.answer(
                Self.path, method: "DELETE", fields: session.fields)
            #expect(ended.status == 204)
            for path in [Self.path, "/v1/projects"] {
                #expect(try await server.answer(path, fields: session.fields).status == 401)
                #expect(try await server.answer(path, fields: other.fields).status == 200)
            }
            // The cookie is not a token, and does not contain one.
            let value = try #require(session.cookie.split(separator: "=").last)
            for text in [String(value), String(other.cookie.split(separator: "=").last ?? "")] {
                let answer = try await server.administer("GET", "/v1/projects", token: text)
                #expect(answer.status == 401)
                #expect(
                    !session.cookie.contains(Data(token.text.utf8).base64EncodedString().prefix(20))
                )
            }
        }
        try await RunningServer.with(store: store) { server in
            let first = try await server.signIn(token: token.text)
            _ = try await server.answer(Self.path, method: "DELETE", fields: first.fields)
            try await RunningServer.with(store: store) { replica in
                let answer = try await replica.answer("/v1/projects", fields: first.fields)
                #expect(answer.status == 401)
            }
        }
    }

    @Test func aPageSignsOutNoOtherSession() async throws {
        let store = InMemoryTemplateStore()
        let token = try await Self.makeToken(in: store)
        try await RunningServer.with(store: store) { server in
            let other = try await server.signIn()
            let session = try await server.signIn(token: token.text)
            for (proof, status) in [(other.proof, 403), ("", 403), (session.proof, 204)] {
                let ended = try await server.answer(
                    Self.path, method: "DELETE",
                    fields: session.fields + ["X-CSRF-Token: \(proof)"])
                #expect(ended.status == status)
                let shown = try await server.answer(Self.path, fields: session.fields).status
                #expect(shown == (status == 204 ? 401 : 200))
            }
        }
    }

    /// As on every other path, a cookie does not count next to `Authorization`.
    @Test func aRequestWithATokenHasNoSession() async throws {
        let store = InMemoryTemplateStore()
        let token = try await Self.makeToken(in: store, role: .viewer)
        try await RunningServer.with(store: store, options: .withoutSignInLimit) { server in
            let session = try await server.signIn()
            let target = "\(Self.path)?get=%2Fv1%2Ftokens"
            for fields in [[], session.fields] {
                for (text, status) in [(token.text, 204), ("wrong", 401)] {
                    let shown = try await server.administer(
                        "GET", target, token: text, fields: fields)
                    #expect(shown.status == status, "\(fields) \(text)")
                    if status == 204 { #expect(shown.body.isEmpty) }
                }
            }
            let ended = try await server.administer(
                "DELETE", Self.path, token: token.text, fields: session.fields)
            #expect(ended.status == 400)
            #expect(ended.fields["set-cookie"] == nil)
            #expect(try await server.answer(Self.path, fields: session.fields).status == 200)
        }
    }

    @Test func aSessionIsNotInTheListOfTokens() async throws {
        let store = InMemoryTemplateStore()
        let token = try await Self.makeToken(in: store)
        try await RunningServer.with(store: store) { server in
            _ = try await server.signIn(token: token.text)
            let list = try await server.administer("GET", "/v1/tokens")
            #expect(try list.json["tokens"]?.arrayValue?.count == 1)
        }
    }

    @Test func aSessionEndsWhenItsTokenIsRevoked() async throws {
        let store = InMemoryTemplateStore()
        let token = try await Self.makeToken(in: store)
        try await RunningServer.with(store: store) { server in
            let session = try await server.signIn(token: token.text)
            #expect(
                try await server.answer("/v1/projects", fields: session.fields).status == 200)
            let revoked = try await server.administer("DELETE", "/v1/tokens/\(token.stored.id)")
            #expect(revoked.status == 200)
            for path in [Self.path, "/v1/projects"] {
                let answer = try await server.answer(path, fields: session.fields)
                #expect(answer.status == 401, "\(path)")
            }
        }
    }

    @Test func aRefusalDoesNotTellWhyATokenIsWrong() async throws {
        let store = InMemoryTemplateStore()
        let expired = try await Self.makeToken(in: store, expirationDate: Date() - 1)
        let revoked = try await Self.makeToken(in: store)
        _ = try await store.revokeToken(id: revoked.stored.id, actor: "test", date: Date())
        try await RunningServer.with(store: store, options: .withoutSignInLimit) { server in
            var bodies: Set<Data> = []
            for text in ["", "wrong", expired.text, revoked.text] {
                let answer = try await server.administer(
                    "POST", Self.path, body: ["token": .string(text)], token: nil)
                #expect(answer.status == 401)
                #expect(answer.fields["set-cookie"] == nil)
                bodies.insert(answer.body)
            }
            for cookie in ["", "=", "%", "d3Jvbmc", "\u{e9}", "\"\""] {
                let answer = try await server.answer(
                    Self.path, fields: ["Cookie: activeconfig_session=\(cookie)"])
                #expect(answer.status == 401, "\(cookie)")
                bodies.insert(answer.body)
            }
            #expect(bodies.count == 1)
        }
    }

    @Test(arguments: ["[]", "{}", #"{"token": 5}"#, #"{"token""#, ""])
    func aSignInWithAnInvalidBodyIsRefused(body: String) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let answer = try await server.answer(Self.path, method: "POST", body: body)
            #expect(answer.status == 400)
            #expect(answer.error?.status == "INVALID_ARGUMENT")
        }
    }

    @Test func aSignInWithALargeBodyIsRefused() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let answer = try await server.answer(
                Self.path, method: "POST", body: String(repeating: " ", count: 65_537))
            #expect(answer.status == 413)
            #expect(answer.fields["content-security-policy"] != nil)
            let other = try await server.answer(
                "/v1/tokens", method: "POST", body: String(repeating: " ", count: 65_537))
            #expect(other.fields["content-security-policy"] == nil)
        }
    }

    @Test(arguments: ["/console/session", "/console/%73ession?x=1"])
    func theServerLimitsTheRateOfWrongSignIns(path: String) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            var statuses: [Int: Int] = [:]
            // Slow machines regain attempts meanwhile, so this continues until one is refused.
            try await waitUntil {
                let answer = try await server.administer(
                    "POST", path, body: ["token": "wrong"], token: nil)
                statuses[answer.status, default: 0] += 1
                if answer.status == 429 { #expect(answer.fields["retry-after"] == "1") }
                return answer.status == 429
            }
            #expect(statuses[429] == 1)
            #expect(statuses[401, default: 0] >= 5)
            // The limit does not affect other requests.
            #expect(await server.status(path) == 204)
            #expect(try await server.administer("GET", "/v1/projects").status == 200)
        }
    }

    @Test func theServerLimitsSignInsOfEachTokenSeparately() async throws {
        let store = InMemoryTemplateStore()
        let busy = try await Self.makeToken(in: store)
        let other = try await Self.makeToken("Bob", in: store)
        try await RunningServer.with(store: store, options: .withoutSignInLimit) { server in
            func signIn(_ token: AccessToken) async throws -> HTTPAnswer {
                try await server.administer(
                    "POST", Self.path, body: ["token": .string(token.text)], token: nil)
            }
            var refused: HTTPAnswer?
            // Slow machines give some back meanwhile.
            try await waitUntil {
                let answer = try await signIn(busy)
                if answer.status != 200 { refused = answer }
                return refused != nil
            }
            #expect(refused?.status == 429)
            let wait = try #require(refused?.fields["retry-after"].flatMap { Int($0) })
            #expect((1...10).contains(wait))
            #expect(try await signIn(other).status == 200)
        }
    }

    @Test func pagesOfOtherOriginsCanNeitherSignInNorOut() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let body: JSONNode = ["token": .string(RunningServer.administratorToken)]
            for method in ["POST", "DELETE"] {
                for field in ["Origin: http://evil.example", "Sec-Fetch-Site: cross-site"] {
                    let answer = try await server.administer(
                        method, Self.path, body: body, token: nil, fields: [field])
                    #expect(answer.status == 403, "\(method) \(field)")
                    #expect(answer.fields["set-cookie"] == nil)
                }
            }
        }
    }
}

extension ConfigServerOptions {
    /// Allows wrong tokens without a rate limit.
    fileprivate static var withoutSignInLimit: ConfigServerOptions {
        var options = ConfigServerOptions()
        options.administratorLimits.signInsPerSecond = 1_000_000
        return options
    }
}
