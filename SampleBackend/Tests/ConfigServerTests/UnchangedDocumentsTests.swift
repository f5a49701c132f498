import ActiveConfig
import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

@testable import ConfigServer

/// Publishes that change only a few of the documents that clients poll.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UnchangedDocumentsTests {
    private static let users = 500

    /// A template whose setting `news` differs for users 1 to 5.
    private static func template(_ news: String) -> JSONNode {
        [
            "conditions": [
                [
                    "name": "few",
                    "expression": "user.id in ['1', '2', '3', '4', '5']",
                ],
                ["name": "half", "expression": "percent <= 50"],
            ],
            "parameters": [
                "text": ["defaultValue": ["value": .string(String(repeating: "x", count: 2_000))]],
                "news": [
                    "defaultValue": ["value": "none for ${user.id}"],
                    "conditionalValues": ["few": ["value": .string(news)]],
                ],
            ],
        ]
    }

    /// Requests the documents of all users, each with its previous tag.
    private static func poll(
        _ server: RunningServer, tags: inout [String: String]
    ) async throws -> (users: [Int], bytes: Int, versions: Set<String?>) {
        var (users, bytes, versions) = ([Int](), 0, Set<String?>())
        try await HTTPConnection.open(port: server.port) { connection in
            for user in 1...Self.users {
                let target = "/activeconfig/user/\(user)"
                connection.send(
                    target: target, fields: tags[target].map { ["If-None-Match: \($0)"] } ?? [])
                let answer = try await connection.receive()
                tags[target] = answer.fields["etag"]
                versions.insert(answer.fields["activeconfig-template-version"])
                bytes += answer.body.count
                if answer.status == 200 { users.append(user) }
            }
        }
        return (users, bytes, versions)
    }

    @Test func aChangeForOnePercentIsDownloadedByOnePercent() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            var tags: [String: String] = [:]
            try await server.publish(Self.template("one"))
            let all = try await Self.poll(server, tags: &tags)
            #expect(all.users == Array(1...Self.users))
            for (version, news) in [(2, "two"), (3, "six")] {
                try await server.publish(Self.template(news))
                let few = try await Self.poll(server, tags: &tags)
                #expect(few.users == [1, 2, 3, 4, 5])
                #expect(few.versions == ["\(version)"])
                #expect(few.bytes * 100 <= all.bytes * 2)
            }
            // Publishes the same content again.
            try await server.publish(Self.template("six"))
            let none = try await Self.poll(server, tags: &tags)
            #expect(none.users == [])
            #expect(none.bytes == 0)
            #expect(none.versions == ["4"])
        }
    }

    /// The framework's client has the version of the server, but the document of an earlier one.
    @Test func aClientTakesOverTheVersion() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template("one"))
            let backend = ActiveConfigBackend(
                url: try #require(URL(string: "http://127.0.0.1:\(server.port)")))
            let store = InMemoryStore()
            let config = ActiveConfig(
                configDownloader: JSONURLDownloader(backend: backend), configStore: store,
                listenerQueue: DispatchQueue(label: "listeners"),
                options: ActiveConfigOptions(log: .disabled))
            for (user, outcome) in [("1", DownloadOutcome.downloaded), ("9", .notModified)] {
                config.currentUserID = user
                try await server.publish(Self.template("first"))
                try await config.downloadNewConfig()
                try await server.publish(Self.template("news for \(user)"))
                #expect(try await config.downloadNewConfig().outcome == outcome)
                let held = config.currentConfiguration
                let fresh = try #require(
                    try await JSONURLDownloader(backend: backend).requestActiveConfig(
                        forUserID: user, lastKnown: nil))
                #expect(held.templateVersion == fresh.templateVersion)
                #expect(held.entityTag == fresh.entityTag)
                #expect(held.sections == fresh.sections)
                #expect(store.ownConfiguration(forUserID: user) == held)
            }
        }
    }
}
