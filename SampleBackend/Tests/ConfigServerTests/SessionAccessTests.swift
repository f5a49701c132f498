import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import AdminAPI
@testable import ConfigServer

/// Access of console sessions to the administrators' routes (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SessionAccessTests {
    private static let path = "/v1/projects/default/remoteConfig"

    /// Administrators' endpoints, each with a path of existing and one of missing resources.
    private static let endpoints =
        ConfigServer.endpoints.compactMap { endpoint in
            guard case .administrator = endpoint.access else { return nil }
            let targets = [("default", "1"), ("nothing", "unknown")].map { project, name in
                endpoint.path.replacing("{project}", with: project)
                    .split(separator: "/")
                    .map {
                        $0.hasPrefix("{") ? name + $0.drop { $0 != "}" }.dropFirst() : String($0)
                    }.joined(separator: "/")
            }
            return (method: endpoint.method, targets: targets.map { "/\($0)" })
        } as [(method: String, targets: [String])]

    @Test func aSessionNeedsAProofForEachChange() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let session = try await server.signIn()
            let other = try await server.signIn(fields: ["X-Forwarded-Proto: https"])
            #expect(other.proof == session.proof)
            var bodies: Set<Data> = []
            var count = 0
            for (method, targets) in Self.endpoints where method != "GET" {
                for target in targets {
                    for proof in [
                        nil, "", "wrong", RunningServer.administratorToken,
                        String(session.proof.dropLast()),
                    ] {
                        let answer = try await server.answer(
                            target, method: method,
                            fields: session.fields + (proof.map { ["X-CSRF-Token: \($0)"] } ?? []))
                        #expect(answer.status == 403, "\(method) \(target)")
                        #expect(answer.error?.message.contains("X-CSRF-Token") == true)
                        bodies.insert(answer.body)
                        count += 1
                    }
                }
            }
            #expect(bodies.count == 1)
            #expect(count > 50)
        }
    }

    @Test func aPageOfAnotherSessionReadsNothing() async throws {
        let store = InMemoryTemplateStore()
        let token = AccessToken(name: "ada", role: .editor, date: Date(), expirationDate: nil)
        try await store.addToken(token.stored, actor: "test")
        try await RunningServer.with(store: store) { server in
            try await server.publish(.sample)
            let session = try await server.signIn()
            let other = try await server.signIn(token: token.text)
            #expect(other.proof != session.proof)
            for proof in [other.proof, ""] {
                let answer = try await server.answer(
                    Self.path, fields: session.fields + ["X-CSRF-Token: \(proof)"])
                #expect(answer.status == 403)
                #expect(answer.error?.message.contains("X-CSRF-Token") == true)
            }
            let answer = try await server.answer(Self.path, fields: session.changingFields)
            #expect(answer.status == 200)
            #expect(answer.fields["cross-origin-resource-policy"] == "same-origin")
            #expect(answer.fields["x-content-type-options"] == "nosniff")
        }
    }

    @Test func aSessionMayDoWhatItsTokenMayDo() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let session = try await server.signIn()
            for (method, targets) in Self.endpoints {
                for target in targets {
                    let byToken = try await server.administer(method, target)
                    let bySession = try await server.answer(
                        target, method: method,
                        fields: method == "GET" ? session.fields : session.changingFields)
                    #expect(byToken.status != 401 && byToken.status != 403, "\(method) \(target)")
                    #expect(bySession.status == byToken.status, "\(method) \(target)")
                }
            }
        }
    }

    /// The roles that may sign in.
    @Test(arguments: StoredToken.Role.allCases.filter { $0 > .evaluator })
    func aSessionMayDoNoMoreThanItsRoleAllows(role: StoredToken.Role) async throws {
        let store = InMemoryTemplateStore()
        let token = AccessToken(name: "test", role: role, date: Date(), expirationDate: nil)
        try await store.addToken(token.stored, actor: "test")
        try await RunningServer.with(store: store) { server in
            try await server.publish(.sample)
            let session = try await server.signIn(token: token.text)
            for (method, targets) in Self.endpoints {
                var bodies: Set<Data> = []
                for target in targets {
                    let byToken = try await server.administer(method, target, token: token.text)
                    let bySession = try await server.answer(
                        target, method: method, fields: session.changingFields)
                    #expect(
                        (bySession.status == 403) == (byToken.status == 403), "\(method) \(target)")
                    if bySession.status == 403 { bodies.insert(bySession.body) }
                }
                #expect(bodies.count <= 1)
            }
        }
    }

    @Test(arguments: [
        ["Origin: http://evil.example"], ["Origin: null"], ["Origin: http://localhost:81"],
        ["Origin: http://localhost.evil.example"], ["Origin: ftp://localhost"], ["Origin: http://"],
        ["Origin: http://localhost", "X-Forwarded-Proto: https"], ["Sec-Fetch-Site: cross-site"],
        ["Sec-Fetch-Site: same-site"], ["Origin: http://localhost", "Sec-Fetch-Site: cross-site"],
    ])
    func aSessionChangesNothingForPagesOfOtherOrigins(fields: [String]) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let proxied = fields.filter { $0.hasPrefix("X-") }
            let session = try await server.signIn(fields: proxied)
            let answer = try await server.administer(
                "PUT", Self.path, body: .sample, token: nil,
                fields: session.changingFields + fields + ["If-Match: *"])
            #expect(answer.status == 403)
            #expect(await server.status("/activeconfig") == 404)
        }
    }

    @Test(arguments: [
        [], ["Origin: http://localhost"], ["Origin: http://LOCALHOST"],
        ["Origin: https://localhost"],
        ["Origin: https://localhost", "X-Forwarded-Proto: https"], ["Sec-Fetch-Site: same-origin"],
        ["Sec-Fetch-Site: none"],
    ])
    func aSessionWorksForItsOwnPages(fields: [String]) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let proxied = fields.filter { $0.hasPrefix("X-") }
            let session = try await server.signIn(fields: proxied)
            let answer = try await server.administer(
                "PUT", Self.path, body: .sample, token: nil,
                fields: session.changingFields + fields + ["If-Match: *"])
            #expect(answer.status == 200)
            #expect(try answer.json["version"]?["updateOrigin"] == "CONSOLE")
        }
    }

    @Test func aRollbackByASessionHasTheConsoleAsItsOrigin() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let session = try await server.signIn()
            for _ in 1...2 { try await server.publish(.sample) }
            let bySession = try await server.administer(
                "POST", Self.path + ":rollback", body: ["versionNumber": "1"], token: nil,
                fields: session.changingFields)
            #expect(try bySession.json["version"]?["updateOrigin"] == "CONSOLE")
            let byToken = try await server.administer(
                "POST", Self.path + ":rollback", body: ["versionNumber": "1"])
            #expect(try byToken.json["version"]?["updateOrigin"] == "REST_API")
        }
    }

    @Test func aSessionIsIgnoredBesideAnAuthorizationField() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let session = try await server.signIn()
            for authorization in ["Bearer wrong", "Basic YTpi", "Bearer"] {
                let answer = try await server.answer(
                    "/v1/projects", fields: session.fields + ["Authorization: \(authorization)"])
                #expect(answer.status == 401, "\(authorization)")
            }
            // A client that sends a token is not a browser, so it needs no proof of its origin.
            let published = try await server.administer(
                "PUT", Self.path, body: .sample,
                fields: session.fields + ["If-Match: *", "Origin: http://evil.example"])
            #expect(published.status == 200)
            #expect(try published.json["version"]?["updateOrigin"] == "REST_API")
        }
    }

    @Test func aSessionMayPublishLargeTemplates() async throws {
        let text = String(repeating: "x", count: 200_000)
        let template: JSONNode = ["parameters": ["a": ["defaultValue": ["value": .string(text)]]]]
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let session = try await server.signIn()
            let published = try await server.administer(
                "PUT", Self.path, body: template, token: nil,
                fields: session.changingFields + ["If-Match: *"])
            #expect(published.status == 200)
            let refused = try await server.administer(
                "PUT", Self.path, body: template, token: nil,
                fields: ["Cookie: activeconfig_session=d3Jvbmc", "If-Match: *"])
            #expect(refused.status == 401)
        }
    }
}
