import Foundation
import HTTPServing
import InMemoryTemplateStore
import JSONTree
import Logging
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import AdminAPI
@testable import ClientAPI
@testable import ConfigServer
@testable import OpenIDConnect

/// Sessions of people who signed in at an OpenID provider (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct OpenIDSessionTests {
    private static let project = "/v1/projects/default"

    /// A server with rules, and sessions of people as a sign-in starts them.
    private struct Trial: Sendable {
        let server: RunningServer
        let store: InMemoryTemplateStore
        let options: OpenIDOptions

        static func with(
            _ rules: String, _ body: @Sendable (Trial) async throws -> Void
        ) async throws {
            let store = InMemoryTemplateStore()
            let openID = try OpenIDSessionTests.options(rules)
            var options = ConfigServerOptions()
            options.openID = openID
            try await RunningServer.with(store: store, options: options) { server in
                #expect(try await server.publish(["parameters": [:]]).status == 200)
                try await body(Trial(server: server, store: store, options: openID))
            }
        }

        func replaceRules(by text: String) throws {
            options.rules.replace(by: try OpenIDSessionTests.rules(text))
        }

        /// The header fields of a new session.
        func session(
            _ address: String?, subject: String = "1", groups: [String] = []
        ) async throws -> [String] {
            let access = AdministratorAccess(
                environmentToken: nil, signIn: OpenIDSignIn(options: options))
            let holder = try #require(
                access.holder(
                    of: SignedInPerson(
                        issuer: options.issuer, subject: subject, address: address,
                        groups: groups)))
            let session = AdministratorSession(of: holder, date: Date())
            try await store.addSession(session.stored, actor: holder.administrator.name)
            // The public URL is https, so the cookie is one of TLS, whatever the proxy in front says.
            let cookie = "Cookie: __Host-activeconfig_session=\(session.text)"
            try await waitUntil {
                try await server.answer("/console/session", fields: [cookie]).status == 200
            }
            return [cookie, "X-CSRF-Token: \(SessionAccess.proof(for: holder))"]
        }

        /// The header fields of a token that a caller creates.
        func token(_ body: JSONNode, by fields: [String]) async throws -> [String] {
            let made = try await server.answer(
                "/v1/tokens", method: "POST", fields: fields, body: body.description)
            return ["Authorization: Bearer \(try #require(try made.json["token"]?.stringValue))"]
        }

        /// The path and the tag of a new change request.
        func changeRequest(by fields: [String]) async throws -> (path: String, tag: String) {
            let body: JSONNode = [
                "title": "Title", "base": "etag-default-1",
                "template": ["parameters": ["a": ["defaultValue": ["value": "1"]]]],
            ]
            let path = "\(OpenIDSessionTests.project)/changeRequests"
            let made = try await server.answer(
                path, method: "POST", fields: fields, body: body.description)
            let id = try #require(
                try made.json["id"]?.stringValue, "\(made.error?.message ?? "")")
            return ("\(path)/\(id)", try #require(made.fields["etag"]))
        }

        func vote(
            on request: (path: String, tag: String), by fields: [String]
        ) async throws -> HTTPAnswer {
            try await server.answer(
                "\(request.path):approve", method: "POST",
                fields: fields + ["If-Match: \(request.tag)"], body: "{}")
        }

        func status(
            _ path: String, _ fields: [String], method: String = "GET", body: JSONNode? = nil
        ) async throws -> Int? {
            try await server.answer(
                path, method: method, fields: fields, body: body.map(\.description) ?? ""
            ).status
        }
    }

    private static func options(_ rules: String) throws -> OpenIDOptions {
        try OpenIDOptions(
            // Nobody listens there.
            issuer: "http://127.0.0.1:1", clientID: "console",
            clientSecret: Secret("a client secret of this test"), publicURL: "https://localhost",
            rules: OpenIDRulesFile(try self.rules(rules)))
    }

    private static func editor(of options: OpenIDOptions) -> SignedInPerson {
        SignedInPerson(issuer: options.issuer, subject: "1", groups: ["editors"])
    }

    private static func rules(_ text: String) throws -> OpenIDRules {
        try OpenIDRules(jsonData: Data("{\"rules\": [\(text)]}".utf8))
    }

    private static let ada = "{\"email\": \"ada@shop.example\", \"role\": \"publisher\"}"
    private static let editors = "{\"group\": \"editors\", \"projects\": {\"default\": \"editor\"}}"

    @Test func theRulesDecideAtEachRequest() async throws {
        try await Trial.with("\(Self.ada), \(Self.editors)") { trial in
            let ada = try await trial.session("ada@shop.example")
            let bob = try await trial.session(nil, subject: "2", groups: ["editors"])
            let shown = try await trial.server.answer("/console/session", fields: ada)
            #expect(try shown.json["name"] == "ada@shop.example")
            #expect(try shown.json["role"] == "publisher")
            let limited = try await trial.server.answer("/console/session", fields: bob)
            #expect(try limited.json["name"] == "http://127.0.0.1:1#2")
            #expect(try limited.json["projects"] == ["default": "editor"])
            #expect(try await trial.status("/v1/tokens", ada) == 200)
            #expect(try await trial.status("/v1/tokens", bob) == 403)
            #expect(try await trial.status("\(Self.project)/remoteConfig", bob) == 200)
            #expect(try await trial.status("/v1/projects/other/remoteConfig", bob) == 404)
            // Another session's page cannot use this cookie.
            #expect(try await trial.status("/v1/projects", [ada[0], bob[1]]) == 403)
            try trial.replaceRules(by: Self.editors)
            #expect(try await trial.status("/v1/tokens", ada) == 401)
            #expect(try await trial.status("/console/session", ada) == 401)
            #expect(try await trial.status("\(Self.project)/remoteConfig", bob) == 200)
            try trial.replaceRules(by: "{\"group\": \"editors\", \"role\": \"publisher\"}")
            #expect(try await trial.status("/v1/tokens", bob) == 200)
            #expect(try await trial.status("/v1/tokens", ada) == 401)
            #expect(
                try await trial.status(
                    "/v1/tokens",
                    [
                        "Authorization: Bearer "
                            + RunningServer.administratorToken
                    ]) == 200)
        }
    }

    @Test func aDraftBelongsToThePersonInEachSession() async throws {
        try await Trial.with(Self.ada) { trial in
            let first = try await trial.session("ada@shop.example")
            let draft: JSONNode = ["template": ["parameters": [:]], "baseVersion": "1"]
            let path = "\(Self.project)/draft"
            let stored = try await trial.server.answer(
                path, method: "PUT", fields: first + ["If-None-Match: *"], body: draft.description)
            #expect([200, 201].contains(stored.status), "\(stored.error?.message ?? "")")
            #expect(try await trial.status("/console/session", first, method: "DELETE") == 204)
            #expect(try await trial.status(path, first) == 401)
            let second = try await trial.session("ada@shop.example")
            #expect(try await trial.status(path, second) == 200)
            #expect(first[1] == second[1])
        }
    }

    @Test func theAuditTrailNamesThePerson() async throws {
        try await Trial.with(Self.ada) { trial in
            _ = try await trial.session("ada@shop.example")
            let entries = try await trial.store.auditEntries(
                inProject: "default", matching: AuditQuery())
            let entry = try #require(entries.first { $0.action == .createToken })
            #expect(entry.actor == "ada@shop.example")
            #expect(entry.subject == "Console session of ada@shop.example")
            #expect(entry.detail == "publisher, subject 1 of http://127.0.0.1:1")
        }
    }

    /// The vote of a person counts while the rules let that person approve.
    @Test func peopleVoteByTheRules() async throws {
        let eve = "{\"email\": \"eve@shop.example\", \"role\": \"editor\"}"
        try await Trial.with("\(Self.ada), \(eve), \(Self.editors)") { trial in
            let ada = try await trial.session("ada@shop.example")
            let protected = try await trial.server.administer(
                "PUT", "\(Self.project)/protection", body: ["requiredApprovals": 2],
                fields: ["If-Match: *"])
            #expect(protected.status == 200)
            var (path, tag) = try await trial.changeRequest(by: ada)
            #expect(try await trial.vote(on: (path, tag), by: ada).status == 403)
            for voter in [
                try await trial.session("eve@shop.example", subject: "3"),
                try await trial.session(nil, subject: "2", groups: ["editors"]),
            ] {
                let vote = try await trial.vote(on: (path, tag), by: voter)
                #expect(vote.status == 200, "\(vote.error?.message ?? "")")
                tag = try #require(vote.fields["etag"])
            }
            func publish() async throws -> Int? {
                try await trial.status(
                    "\(path):publish", ada + ["If-Match: \(tag)"], method: "POST", body: [:])
            }
            for rules in [
                "\(Self.ada), \(eve)", "\(Self.ada), \(Self.editors)",
                "\(Self.ada), \(eve), {\"group\": \"editors\", \"role\": \"viewer\"}",
                "\(Self.ada), \(eve), {\"group\": \"editors\", \"projects\": {\"x\": \"editor\"}}",
            ] {
                try trial.replaceRules(by: rules)
                #expect(try await publish() == 403, "\(rules)")
            }
            try trial.replaceRules(by: "\(Self.ada), \(eve), \(Self.editors)")
            #expect(try await publish() == 200)
        }
    }

    /// A person is known by the provider's identifier: with another address, or none, it neither
    /// approves its own request nor votes twice.
    @Test func anotherAddressIsNoOtherPerson() async throws {
        let domain = "{\"domain\": \"shop.example\", \"role\": \"editor\"}"
        try await Trial.with("\(Self.ada), \(domain), \(Self.editors)") { trial in
            let names = ["eve@shop.example", "eve2@shop.example", nil]
            var sessions: [[String]] = []
            for name in names {
                sessions.append(
                    try await trial.session(name, subject: "5", groups: ["editors"]))
            }
            let own = try await trial.changeRequest(by: sessions[0])
            for session in sessions {
                #expect(try await trial.vote(on: own, by: session).status == 403)
            }
            var (path, tag) = try await trial.changeRequest(
                by: try await trial.session("ada@shop.example"))
            for session in sessions {
                let vote = try await trial.vote(on: (path, tag), by: session)
                #expect(vote.status == 200)
                #expect(try vote.json["votes"]?.arrayValue?.count == 1)
                tag = try #require(vote.fields["etag"])
            }
        }
    }

    /// A token has the identity of the person who created it, also when the provider says later that
    /// the address is not verified.
    @Test func aPersonsTokenIsNoOtherPerson() async throws {
        try await Trial.with("\(Self.ada), \(Self.editors)") { trial in
            let before = try await trial.session("ada@shop.example", subject: "7")
            let robots = ["ada@shop.example", nil].map { owner in
                JSONNode(
                    dictionaryLiteral: ("name", .string(owner ?? "robot")), ("role", "publisher"),
                    ("owner", owner.map { .string($0) } ?? .null))
            }
            var tokens: [[String]] = []
            for body in robots { tokens.append(try await trial.token(body, by: before)) }
            // Created by a token of the person.
            tokens.append(
                try await trial.token(["name": "second robot", "role": "editor"], by: tokens[1]))
            let after = try await trial.session(nil, subject: "7", groups: ["editors"])
            for token in tokens {
                let own = try await trial.changeRequest(by: token)
                #expect(try await trial.vote(on: own, by: after).status == 403)
            }
            let other = try await trial.session(nil, subject: "8", groups: ["editors"])
            for voters in [[tokens[0], after], [after, tokens[0]]] {
                var (path, tag) = try await trial.changeRequest(by: other)
                for voter in voters {
                    let vote = try await trial.vote(on: (path, tag), by: voter)
                    #expect(try vote.json["votes"]?.arrayValue?.count == 1)
                    tag = try #require(vote.fields["etag"])
                }
            }
        }
    }

    /// A token for somebody else does not have the identity of whoever created it.
    @Test func aTokenForAnotherPersonVotesForThatPerson() async throws {
        let rule = "{\"subject\": \"7\", \"role\": \"publisher\", \"mayBypass\": true}"
        try await Trial.with("\(rule), \(Self.editors)") { trial in
            let ada = try await trial.session("ada@shop.example", subject: "7")
            let bob = try await trial.token(
                ["name": "bob's", "role": "editor", "owner": "bob@shop.example"], by: ada)
            let other = try await trial.session(nil, subject: "8", groups: ["editors"])
            var (path, tag) = try await trial.changeRequest(by: other)
            for (count, voter) in [ada, bob].enumerated() {
                let vote = try await trial.vote(on: (path, tag), by: voter)
                #expect(try vote.json["votes"]?.arrayValue?.count == count + 1)
                tag = try #require(vote.fields["etag"])
            }
            let made = try await trial.changeRequest(by: bob)
            #expect(try await trial.vote(on: made, by: ada).status == 200)
        }
    }

    @Test func aTokenIsNamedLikeNoPersonButItsOwn() async throws {
        try await Trial.with(Self.ada) { trial in
            let ada = try await trial.session("ada@shop.example")
            for (name, status) in [
                ("bob@shop.example", 400), ("http://127.0.0.1:1#2", 400), ("ada@shop.example", 200),
            ] {
                let body: JSONNode = ["name": .string(name), "role": "viewer"]
                #expect(
                    try await trial.status("/v1/tokens", ada, method: "POST", body: body) == status)
            }
        }
    }

    /// What a waiting request asks before it answers.
    @Test func aSessionIsNotValidInAProjectThatThePersonLost() async throws {
        let options = try Self.options(Self.editors)
        let access = AdministratorAccess(
            environmentToken: nil, signIn: OpenIDSignIn(options: options))
        let holder = try #require(access.holder(of: Self.editor(of: options)))
        let session = AdministratorSession(of: holder, date: Date())
        await access.addSession(session.stored) {}
        let caller = AdministratorCaller(
            holder, session: .init(holder: holder, hash: session.stored.hash, isSecure: true))
        #expect(access.isValid(caller, inProject: "default"))
        #expect(!access.isValid(caller, inProject: "other"))
        options.rules.replace(
            by: try Self.rules("{\"group\": \"editors\", \"projects\": {\"other\": \"viewer\"}}"))
        #expect(!access.isValid(caller, inProject: "default"))
        #expect(access.isValid(caller, inProject: "other"))
    }

    /// Another server has begun a session of which this one does not know yet.
    @Test func aSignInWithOtherGroupsEndsTheSessionsOfOtherServers() async throws {
        let options = try Self.options(Self.editors)
        let access = AdministratorAccess(
            environmentToken: nil, signIn: OpenIDSignIn(options: options))
        let store = InMemoryTemplateStore()
        let administration = Administration(
            store: store,
            library: TemplateLibrary(
                store: store, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }),
            access: access, metrics: LibraryMetrics(), now: { Date() })
        let holder = try #require(access.holder(of: Self.editor(of: options)))
        let session = AdministratorSession(of: holder, date: Date()).stored
        try await store.addSession(session, actor: "test")
        try await administration.endSessionsWithFormerRights(
            of: SignedInPerson(issuer: options.issuer, subject: "1")
        ) { await access.addSession(session) {} }
        #expect(try await store.session(id: session.id) == nil)
    }

    @Test func aProviderThatDoesNotAnswerIsNamedOnTheSignInPage() async throws {
        try await Trial.with(Self.ada) { trial in
            let begun = try await trial.server.answer("/console/openid/sign-in")
            #expect(begun.status == 303 && begun.fields["location"] == "/console/")
            let field = try #require(begun.fields["set-cookie"])
            #expect(field.contains("SameSite=Lax") && field.contains("HttpOnly"))
            let cookie = "Cookie: \(field.split(separator: ";")[0])"
            let shown = try await trial.server.answer("/console/openid", fields: [cookie])
            #expect(try shown.json["issuer"] == "http://127.0.0.1:1")
            let failure = try shown.json["failure"]?.stringValue
            #expect(failure?.contains("127.0.0.1 does not answer") == true)
            #expect(shown.fields["set-cookie"]?.contains("Max-Age=0") == true)
            let returned = try await trial.server.answer(
                "/console/openid/callback?state=a&code=b")
            #expect(returned.status == 303 && returned.fields["location"] == "/console/")
            let foreign = try await trial.server.answer(
                "/console/openid/sign-in", fields: ["Sec-Fetch-Site: cross-site"])
            #expect(foreign.status == 403)
        }
    }

    @Test func aServerWithoutProviderHasTokensOnly() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            #expect(await server.status("/console/openid") == 204)
            #expect(await server.status("/console/openid/sign-in") == 404)
            #expect(await server.status("/console/openid/callback?state=a") == 404)
        }
    }
}
