import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import AdminAPI
@testable import ClientAPI
@testable import ConfigServer
@testable import HTTPServing

/// Access to each endpoint by role and token (PROTOCOL 1, API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct AccessTests {
    /// Paths of an existing and of a missing resource.
    private static func targets(of path: String) -> [String] {
        [("default", "1"), ("nothing", "unknown")].map { project, user in
            path.replacing("{project}", with: project).replacing("{userID}", with: user)
                .replacing("{tokenID}", with: user).replacing("{webhookID}", with: user)
                .replacing("{changeRequestID}", with: user)
        }
    }

    /// Endpoints for administrators.
    private static let endpoints = ConfigServer.endpoints.filter {
        if case .administrator = $0.access { true } else { false }
    }

    @Test func eachAdministratorEndpointRefusesARequestWithoutAValidToken() async throws {
        let store = InMemoryTemplateStore()
        let now = Date()
        let expired = AccessToken(
            name: "expired", role: .publisher, date: now - 100, expirationDate: now - 1)
        let revoked = AccessToken(
            name: "revoked", role: .publisher, date: now, expirationDate: nil)
        for token in [expired, revoked] { try await store.addToken(token.stored, actor: "test") }
        _ = try await store.revokeToken(id: revoked.stored.id, actor: "test", date: now)
        var options = ConfigServerOptions()
        options.administratorLimits.signInsPerSecond = 1_000_000
        try await RunningServer.with(store: store, options: options) { server in
            try await server.publish(.sample)
            var bodies: Set<Data> = []
            let authorizations: [[String]] = [
                [], ["Authorization: Bearer wrong"], ["Authorization: Bearer "],
                ["Authorization: Basic YTpi"], ["Authorization: Bearer \(expired.text)"],
                ["Authorization: Bearer \(revoked.text)"],
                ["Authorization: \(RunningServer.administratorToken)"],
            ]
            for endpoint in Self.endpoints {
                for target in Self.targets(of: endpoint.path) {
                    for fields in authorizations {
                        let answer = try await server.answer(
                            target, method: endpoint.method, fields: fields)
                        #expect(answer.status == 401, "\(endpoint.method) \(target) \(fields)")
                        #expect(answer.fields["www-authenticate"] == "Bearer")
                        bodies.insert(answer.body)
                    }
                }
            }
            #expect(bodies.count == 1)
        }
    }

    @Test(arguments: StoredToken.Role.allCases)
    func eachEndpointRefusesOnlyRolesBelowTheOneItRequires(role: StoredToken.Role) async throws {
        let store = InMemoryTemplateStore()
        let token = AccessToken(name: "test", role: role, date: Date(), expirationDate: nil)
        try await store.addToken(token.stored, actor: "test")
        try await RunningServer.with(store: store) { server in
            try await server.publish(.sample)
            for endpoint in Self.endpoints {
                guard case .administrator(let needed) = endpoint.access else { continue }
                var bodies: Set<Data> = []
                for target in Self.targets(of: endpoint.path) {
                    let answer = try await server.administer(
                        endpoint.method, target, token: token.text)
                    #expect(
                        (answer.status == 403) == (role < needed), "\(endpoint) \(answer.status)")
                    if answer.status == 403 { bodies.insert(answer.body) }
                }
                #expect(bodies.count <= 1)
            }
            let check = try await server.administer(
                "PUT", "/v1/projects/default/remoteConfig?validateOnly=true", body: .sample,
                token: token.text, fields: ["If-Match: *"])
            #expect(check.status == (role >= .editor ? 200 : 403))
        }
    }

    @Test func anAdministratorCreatesListsAndRevokesTokens() async throws {
        let store = InMemoryTemplateStore()
        try await RunningServer.with(store: store) { server in
            try await server.publish(.sample)
            let made = try await server.administer(
                "POST", "/v1/tokens", body: ["name": "reader", "role": "viewer"])
            #expect(made.status == 200)
            let text = try #require(try made.json["token"]?.stringValue)
            let id = try #require(try made.json["id"]?.stringValue)
            #expect(text.count > 40)
            let path = "/v1/projects/default/remoteConfig"
            #expect(try await server.administer("GET", path, token: text).status == 200)
            let list = try await server.administer("GET", "/v1/tokens")
            #expect(!String(decoding: list.body, as: UTF8.self).contains(text))
            #expect(try list.json["tokens"]?.arrayValue?.first?["name"] == "reader")
            #expect(try await server.administer("DELETE", "/v1/tokens/\(id)").status == 200)
            #expect(try await server.administer("GET", path, token: text).status == 401)
            #expect(try await server.administer("DELETE", "/v1/tokens/none").status == 404)
            for body in [
                [:], ["name": "x"], ["name": "", "role": "viewer"], ["name": "x", "role": "king"],
                ["name": "x", "role": "viewer", "expirationTime": "2001-01-01T00:00:00Z"],
                ["name": "x", "role": "viewer", "expirationTime": "2099-02-30T00:00:00Z"],
            ] as [JSONNode] {
                let answer = try await server.administer("POST", "/v1/tokens", body: body)
                #expect(answer.status == 400, "\(body)")
            }
        }
    }

    @Test(arguments: [
        "", " ", " a", "a ", "environment", "Environment", "local:root",
        "console session of ada", "Console\u{A0}session of ada", "Console session  of ada",
        "Ｃonsole session of ada", "local：root", "a\u{1B}[31m", "a\nb",
        "a\u{85}b", "a\u{202E}b", "a\u{2066}b", "a\u{200B}b", "a\u{2028}b", "a\u{FEFF}", "a\u{0}",
        "a\u{7F}", "a\u{200D}b", "👨\u{200D}", String(repeating: "a", count: 101),
        "e" + String(repeating: "\u{301}", count: 100),
        "bob@shop.example", "Bob＠shop.example", "https://login.example#1",
    ])
    func theServerRefusesATokenNameThatIsNotPlain(name: String) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let answer = try await server.administer(
                "POST", "/v1/tokens", body: ["name": .string(name), "role": "viewer"])
            #expect(answer.status == 400)
            #expect(answer.error?.message.contains("name") == true)
        }
    }

    @Test func eachValidTokenHasANameOfItsOwn() async throws {
        let store = InMemoryTemplateStore()
        let expired = AccessToken(
            name: "ci", role: .viewer, date: Date() - 100, expirationDate: Date() - 1)
        try await store.addToken(expired.stored, actor: "test")
        try await RunningServer.with(store: store) { server in
            func make(_ name: String) async throws -> HTTPAnswer {
                try await server.administer(
                    "POST", "/v1/tokens", body: ["name": .string(name), "role": "viewer"])
            }
            let first = try await make("ci")
            #expect(first.status == 200)
            #expect(try await make("ci").status == 400)
            #expect(try await make(String(repeating: "é", count: 100)).status == 200)
            let id = try #require(try first.json["id"]?.stringValue)
            #expect(try await server.administer("DELETE", "/v1/tokens/\(id)").status == 200)
            #expect(try await make("ci").status == 200)
        }
    }

    /// Owners are named as people who sign in are: an address in lower case, or issuer and subject.
    @Test func anOwnerHasTheNameOfASignedInPerson() async throws {
        let address = String(repeating: "a", count: 240) + "@shop.example"
        let identity = "https://login.example/realm#" + String(repeating: "S", count: 255)
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for (number, (owner, kept)) in [
                ("Ada", "Ada"), ("Ada@Shop.example", "ada@shop.example"), (address, address),
                ("https://login.example#Ada@Shop", "https://login.example#Ada@Shop"),
                (identity, identity),
            ].enumerated() {
                let made = try await server.administer(
                    "POST", "/v1/tokens",
                    body: [
                        "name": .string("\(number)"), "role": "editor", "owner": .string(owner),
                    ])
                #expect(made.status == 200, "\(made.error?.message ?? "")")
                #expect(try made.json["owner"]?.stringValue == kept)
            }
        }
    }

    @Test(arguments: ["127.0.0.1", "0.0.0.0"])
    func metricsNeedATokenUnlessTheServerListensLocally(hostname: String) async throws {
        var options = ConfigServerOptions(hostname: hostname)
        options.clientAccess = ClientAccess(keys: ["key"], userTokens: nil)
        options.metricsText = { "metrics" }
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            let isLocal = hostname == "127.0.0.1"
            let path = "/metrics"
            #expect(try await server.answer(path).status == (isLocal ? 200 : 401))
            let key = try await server.answer(path, fields: ["X-API-Key: key"])
            #expect(key.status == (isLocal ? 200 : 401))
            let answer = try await server.administer("GET", path)
            #expect(answer.status == 200)
            #expect(String(decoding: answer.body, as: UTF8.self) == "metrics")
            #expect(try await server.administer("HEAD", path).status == 200)
        }
    }

    @Test func anAdministratorPinsValuesForAUser() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let path = "/v1/projects/default/users/..%2Fa%20b/overrides"
            #expect(try await server.administer("GET", path).status == 404)
            let overrides: JSONNode = ["Home": ["title": "Pinned", "extra": 3]]
            #expect(try await server.administer("PUT", path, body: overrides).status == 200)
            #expect(try await server.administer("GET", path).json == overrides)
            let document = try await server.document("/activeconfig/user/..%2Fa%20b")
            #expect(document.setting("title", in: "Home") == "Pinned")
            #expect(document.setting("extra", in: "Home") == 3)
            #expect(document.setting("size", in: "Home") == .number("1.0"))
            let other = try await server.document("/activeconfig/user/1")
            #expect(other.setting("title", in: "Home") == "Hello 1")
            #expect(try await server.administer("DELETE", path).status == 200)
            let after = try await server.document("/activeconfig/user/..%2Fa%20b")
            #expect(after.setting("title", in: "Home") == "Hello ../a b")
            let wrong = try await server.administer("PUT", path, body: ["Home": 3])
            #expect(wrong.status == 400)
        }
    }

    @Test func pinsReplaceTheExpectedOnesOnly() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let path = "/v1/projects/default/users/1/overrides"
            func put(_ count: Int, _ field: String) async throws -> HTTPAnswer {
                try await server.administer(
                    "PUT", path, body: ["Home": ["count": .number("\(count)")]], fields: [field])
            }
            let none = try await put(1, #"If-Match: "x""#)
            #expect(none.status == 412)
            #expect(none.error?.status == "OVERRIDES_MISMATCH")
            #expect(try await put(1, "If-Match: *").status == 412)
            let first = try #require(try await put(1, "If-None-Match: *").fields["etag"])
            #expect(try await server.administer("GET", path).fields["etag"] == first)
            #expect(try await put(2, "If-None-Match: *").status == 412)
            let second = try #require(try await put(2, "If-Match: \(first)").fields["etag"])
            #expect(second != first)
            #expect(try await put(3, "If-Match: \(first)").status == 412)
            #expect(try await put(3, "If-Match: \(first), \(second)").status == 400)
            #expect(try await put(3, "If-Match: ").status == 400)
            #expect(try await put(3, #"If-None-Match: "x""#).status == 400)
            let stale = try await server.administer(
                "DELETE", path, fields: ["If-Match: \(first)"])
            #expect(stale.status == 412)
            #expect(try await server.administer("GET", path).json == ["Home": ["count": 2]])
            let removed = try await server.administer(
                "DELETE", path, fields: ["If-Match: \(second)"])
            #expect(removed.status == 200)
        }
    }

    @Test func aTokensLastUseIsStoredWhenTheServerEnds() async throws {
        let store = InMemoryTemplateStore()
        let token = AccessToken(name: "ci", role: .viewer, date: Date(), expirationDate: nil)
        let unused = AccessToken(name: "unused", role: .viewer, date: Date(), expirationDate: nil)
        try await store.addToken(token.stored, actor: "test")
        try await store.addToken(unused.stored, actor: "test")
        let start = Date()
        try await RunningServer.with(store: store) { server in
            let answer = try await server.administer("GET", "/v1/projects", token: token.text)
            #expect(answer.status == 200)
        }
        let tokens = try await store.tokens()
        let use = try #require(tokens.first { $0.name == "ci" }?.lastUseDate)
        // The store keeps milliseconds only.
        #expect((start - 1...Date()).contains(use))
        #expect(tokens.first { $0.name == "unused" }?.lastUseDate == nil)
    }

    @Test func theAuditTrailRecordsActorsAndActions() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            try await server.administer(
                "PUT", "/v1/projects/default/users/7/overrides", body: ["Home": ["title": "x"]])
            try await server.administer(
                "POST", "/v1/projects/default/remoteConfig:rollback",
                body: ["versionNumber": "1"])
            let answer = try await server.administer("GET", "/v1/projects/default/audit")
            #expect(answer.status == 200)
            let entries = try #require(try answer.json["entries"]?.arrayValue)
            let actions = entries.compactMap { $0["action"]?.stringValue }
            #expect(actions.filter { $0 == "SET_OVERRIDES" }.count == 1)
            #expect(actions.last == "PUBLISH")
            #expect(entries.allSatisfy { $0["actor"] == "environment" })
            let page = try await server.administer(
                "GET", "/v1/projects/default/audit?pageSize=1"
            ).json
            #expect(page["entries"]?.arrayValue?.count == 1)
            #expect(page["nextPageToken"] != nil)
        }
    }

    @Test(arguments: [1, 3, 1_000])
    func thePagesOfTheAuditTrailListEveryEntryOnce(pageSize: Int) async throws {
        let store = InMemoryTemplateStore()
        try await RunningServer.with(store: store) { server in
            try await server.publish(.sample)
            // One entry more than the largest page holds, or than a few small pages hold.
            let count = pageSize == 1_000 ? 1_001 : 6
            for number in 2...count {
                try await store.setOverrides(
                    OverridesChange(
                        project: "default", userID: "\(number)", content: Data("{}".utf8),
                        date: Date(), actor: "test"))
            }
            var subjects: [String] = []
            var token: String?
            repeat {
                let query = "?pageSize=\(pageSize)" + (token.map { "&pageToken=\($0)" } ?? "")
                let page = try await server.administer(
                    "GET", "/v1/projects/default/audit" + query
                ).json
                let entries = page["entries"]?.arrayValue ?? []
                #expect(!entries.isEmpty)
                subjects += entries.compactMap { $0["subject"]?.stringValue }
                token = page["nextPageToken"]?.stringValue
            } while token != nil
            #expect(subjects == (1...count).reversed().map { "\($0)" })
        }
    }
}
