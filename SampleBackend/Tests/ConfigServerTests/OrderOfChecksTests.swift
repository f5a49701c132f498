import Foundation
import HTTPServing
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import AdminAPI
@testable import ClientAPI
@testable import ConfigServer

/// The server checks credentials before the rest of a request, on every route and for every role
/// (PROTOCOL 1, API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct OrderOfChecksTests {
    /// Queries that are invalid on at least one route.
    private static let queries = [
        "validateOnly=maybe", "versionNumber=x", "versionNumber=%zz", "pageSize=0&pageToken=x",
        "from=x", "format=nothing", "app.version=%zz", "signal.=1", "userID=%zz",
        "targetingKey=%zz",
        "flagConfigEtag=%zz", "signal.a=" + String(repeating: "x", count: 501),
    ]

    /// Bodies that are invalid on every route.
    private static let bodies = ["", "{", "[]", #"{"users":1,"context":3}"#]

    private static func targets(of path: String) -> [String] {
        ["default", "nothing"].map { name in
            path.split(separator: "/").map { segment in
                guard segment.hasPrefix("{") else { return String(segment) }
                // What follows the parameter, as in `{changeRequestID}:approve`.
                return name + segment.drop { $0 != "}" }.dropFirst()
            }.reduce("") { "\($0)/\($1)" }
        }
    }

    @Test(arguments: StoredToken.Role.allCases)
    func administratorsTokensAreCheckedBeforeParameters(role: StoredToken.Role) async throws {
        let store = InMemoryTemplateStore()
        let token = AccessToken(name: "test", role: role, date: Date(), expirationDate: nil)
        try await store.addToken(token.stored, actor: "test")
        try await RunningServer.with(store: store) { server in
            try await server.publish(.sample)
            for (number, endpoint) in ConfigServer.endpoints.enumerated() {
                guard case .administrator(let needed) = endpoint.access else { continue }
                var refusals: Set<Data> = []
                let requests = Self.targets(of: endpoint.path).flatMap { target in
                    Self.queries.flatMap { query in
                        (endpoint.method == "GET" ? [""] : Self.bodies).map { body in
                            (target: "\(target)?\(query)", body: body)
                        }
                    }
                }
                // Seven divides none of these counts, so each value meets each endpoint at some
                // point.
                for (target, body) in Rounds.sample(requests, oneIn: 7, from: number) {
                    let none = try await server.answer(target, method: endpoint.method, body: body)
                    #expect(none.status == 401, "\(endpoint.method) \(target)")
                    refusals.insert(none.body)
                    let answer = try await server.answer(
                        target, method: endpoint.method,
                        fields: ["Authorization: Bearer \(token.text)"], body: body)
                    #expect(
                        (answer.status == 403) == (role < needed),
                        "\(endpoint.method) \(target) \(answer.status)")
                    #expect(answer.status != 401)
                }
                #expect(refusals.count == 1, "\(endpoint)")
            }
        }
    }

    /// Up to the size limit for administrators, the error of a large body is the token.
    @Test(arguments: [[], ["Authorization: Bearer a-wrong-one"]])
    func administratorsTokensAreCheckedBeforeTheSizeOfABody(fields: [String]) async throws {
        let limits = ServerLimits()
        let rows = [
            (limits.bodyBytes + 1, "PUT", 401),
            (AdministratorLimits().bodyBytes, "PUT", 401),
            (AdministratorLimits().bodyBytes + 1, "PUT", 413),
            (limits.bodyBytes + 1, "POST", 405),
        ]
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for (length, method, expected) in rows {
                let answer = try await HTTPConnection.open(port: server.port) { connection in
                    connection.send(
                        method: method, target: "/v1/projects/default/remoteConfig",
                        fields: fields + ["Content-Length: \(length)"])
                    return try await connection.receive()
                }
                #expect(answer.status == expected, "\(method) with \(length) bytes")
            }
        }
    }

    @Test func clientsKeysAreCheckedBeforeParameters() async throws {
        var options = ConfigServerOptions()
        options.clientAccess = ClientAccess(keys: ["key"], userTokens: nil)
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            try await server.publish(.sample)
            for endpoint in ConfigServer.endpoints where endpoint.access == .client {
                for target in Self.targets(of: endpoint.path) {
                    for query in Self.queries {
                        for body in endpoint.method == "GET" ? [""] : Self.bodies {
                            for fields in [[], ["X-API-Key: wrong"]] {
                                let answer = try await server.answer(
                                    "\(target)?\(query)", method: endpoint.method, fields: fields,
                                    body: body)
                                #expect(answer.status == 401, "\(target)?\(query) \(body)")
                            }
                        }
                    }
                }
            }
            let broken = try await server.answer(
                "/activeconfig?signal.=1", fields: ["X-API-Key: key"])
            #expect(broken.status == 400)
        }
    }
}
