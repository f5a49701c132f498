import Foundation
import GRDB
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

/// Two servers, or a server and a command, on one database.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SharedDatabaseTests {
    /// Returns once a server serves a version.
    private func wait(until version: Int, isServedBy backend: RunningBackend) async throws {
        try await waitUntil {
            let answer = try await backend.answer("/activeconfig")
            guard answer.status == 200 else { return false }
            let document = try JSONNode(jsonData: answer.body)
            return document["meta"]?["template_version"]?.integerValue == version
        }
    }

    @Test func eachServerServesWhatTheOtherPublished() async throws {
        let folder = try TemporaryFolder()
        let first = try await RunningBackend(store: folder.store)
        let second = try await RunningBackend(store: folder.store)
        for version in 1...6 {
            let (publisher, other) = version.isMultiple(of: 2) ? (first, second) : (second, first)
            let answer = try await publisher.administer(
                "PUT", "/v1/projects/default/remoteConfig",
                ifMatch: "etag-default-\(version - 1)",
                body: AdministrationTarget.templateText(title: "version \(version)"))
            #expect(answer.status == 200)
            try await wait(until: version, isServedBy: other)
        }
        let one = try await first.answer("/activeconfig/user/3")
        let two = try await second.answer("/activeconfig/user/3")
        #expect(one.body == two.body)
        #expect(one.fields["etag"] == two.fields["etag"])
        _ = await first.stop()
        _ = await second.stop()
    }

    /// A load balancer may send each request of a browser to another server.
    @Test func whatOneServerAddedIsKnownToTheOtherAtOnce() async throws {
        let folder = try TemporaryFolder()
        let first = try await RunningBackend(store: folder.store)
        let second = try await RunningBackend(store: folder.store)
        for number in 1...10 {
            let created = try await first.administer(
                "POST", "/v1/tokens", body: #"{"name": "\#(number)", "role": "viewer"}"#)
            let token = try #require(JSONNode(jsonData: created.body)["token"]?.stringValue)
            let listed = try await second.answer(
                "/v1/projects", fields: ["Authorization: Bearer \(token)"])
            #expect(listed.status == 200)
            let name = "project-\(number)"
            _ = try await first.administer(
                "POST", "/v1/projects", body: #"{"project": "\#(name)"}"#)
            let document = try await second.answer("/projects/\(name)/activeconfig")
            #expect(document.status == 200)
        }
        // A project that neither of them knows is refused without waiting for a change.
        #expect(try await second.answer("/projects/none/activeconfig").status == 404)
        _ = await first.stop()
        _ = await second.stop()
    }

    /// One server publishes before it has read that the other has deleted the project of the name.
    @Test func aNewProjectHasNothingOfADeletedOne() async throws {
        let folder = try TemporaryFolder()
        let first = try await RunningBackend(store: folder.store)
        let second = try await RunningBackend(store: folder.store)
        for round in 0..<8 {
            let (name, path) = ("shop\(round)", "/v1/projects/shop\(round)")
            func publish(_ title: String, at backend: RunningBackend) async throws {
                let answer = try await backend.administer(
                    "PUT", "\(path)/remoteConfig", ifMatch: "*",
                    body: AdministrationTarget.templateText(title: title))
                #expect(answer.status == 200)
            }
            func document(of backend: RunningBackend) async throws -> String {
                let answer = try await backend.answer("/projects/\(name)/activeconfig/user/1")
                return String(decoding: answer.body, as: UTF8.self)
            }
            try await publish("old", at: first)
            let pinned = try await first.administer(
                "PUT", "\(path)/users/1/overrides", body: #"{"Home": {"title": "pinned"}}"#)
            #expect(pinned.status == 200)
            let archived = try await first.administer(
                "PATCH", "\(path)/details", body: #"{"archived": true}"#)
            #expect(archived.status == 200)
            try await waitUntil { try await document(of: second).contains("pinned") }
            let deleted = try await first.administer("DELETE", "\(path)?confirm=\(name)")
            #expect(deleted.status == 200)
            try await publish("new", at: second)
            for backend in [second, first] {
                try await waitUntil { try await document(of: backend).contains("new") }
                #expect(try await !document(of: backend).contains("pinned"))
                let list = try await backend.administer("GET", "/v1/projects")
                #expect(!String(decoding: list.body, as: UTF8.self).contains("archived"))
            }
        }
        _ = await first.stop()
        _ = await second.stop()
    }

    @Test func aServerServesWhatACommandWrote() async throws {
        let folder = try TemporaryFolder()
        let backend = try await RunningBackend(store: folder.store)
        let file = try folder.write(
            AdministrationTarget.templateText(title: "local"), to: "template.json")
        let run = try await CommandRun(["publish", file, "--store", folder.store])
        #expect(run.exitCode == 0, "\(run)")
        try await wait(until: 1, isServedBy: backend)
        _ = await backend.stop()
    }

    /// A change is reported once: after a failed read, the server must read again without another
    /// change.
    @Test func aRevocationThatCouldNotBeReadIsReadWhenTheDatabaseIsBack() async throws {
        let folder = try TemporaryFolder()
        let backend = try await RunningBackend(store: folder.store)
        let created = try await backend.administer(
            "POST", "/v1/tokens", body: #"{"name": "leaked", "role": "viewer"}"#)
        let token = try #require(JSONNode(jsonData: created.body)["token"]?.stringValue)
        func status() async throws -> Int {
            try await backend.answer("/v1/tokens", fields: ["Authorization: Bearer \(token)"])
                .status
        }
        #expect(try await status() != 401)
        let database = try DatabaseQueue(path: folder.path("test.sqlite"))
        try await database.write { db in
            try db.execute(
                sql: """
                    UPDATE tokens SET revocation_time = 1;
                    ALTER TABLE tokens RENAME TO hidden_tokens;
                    INSERT INTO changes (kind) VALUES ('tokens');
                    """)
        }
        // Logged once, but counted each time.
        try await waitUntil {
            let metrics = String(
                decoding: try await backend.answer("/metrics").body, as: UTF8.self)
            let prefix = #"activeconfig_store_errors_total{operation="watch"} "#
            let count = metrics.split(separator: "\n").first { $0.hasPrefix(prefix) }
                .flatMap { Int($0.dropFirst(prefix.count)) }
            return count ?? 0 >= 3
        }
        try await database.write { db in
            try db.execute(sql: "ALTER TABLE hidden_tokens RENAME TO tokens")
        }
        try await waitUntil { try await status() == 401 }
        backend.process.send(signal: SIGKILL)
    }

    @Test func aStoppedServerDoesNotWaitForAHeldDatabaseForEachToken() async throws {
        let folder = try TemporaryFolder()
        let backend = try await RunningBackend(store: folder.store)
        var tokens: [String] = []
        for name in ["a", "b", "c"] {
            let created = try await backend.administer(
                "POST", "/v1/tokens", body: #"{"name": "\#(name)", "role": "viewer"}"#)
            tokens.append(
                try #require(JSONNode(jsonData: created.body)["token"]?.stringValue))
        }
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let database = try DatabaseQueue(
            path: folder.path("test.sqlite"), configuration: configuration)
        try await database.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        for token in tokens {
            _ = try await backend.answer("/v1/tokens", fields: ["Authorization: Bearer \(token)"])
        }
        let lines = await backend.stop()
        let failures = lines.count { $0.contains("last uses of tokens could not be stored") }
        // One more failure if the server had begun to store the first uses.
        #expect((1..<tokens.count).contains(failures), "\(lines)")
        try database.close()
    }

    @Test func oneOfTwoPublishersWins() async throws {
        let folder = try TemporaryFolder()
        let first = try await RunningBackend(store: folder.store)
        let second = try await RunningBackend(store: folder.store)
        for version in 1...10 {
            async let one = first.administer(
                "PUT", "/v1/projects/default/remoteConfig",
                ifMatch: "etag-default-\(version - 1)",
                body: AdministrationTarget.templateText(title: "one"))
            async let two = second.administer(
                "PUT", "/v1/projects/default/remoteConfig",
                ifMatch: "etag-default-\(version - 1)",
                body: AdministrationTarget.templateText(title: "two"))
            let statuses = [try await one.status, try await two.status].sorted()
            #expect(statuses == [200, 412])
        }
        _ = await first.stop()
        _ = await second.stop()
    }
}
