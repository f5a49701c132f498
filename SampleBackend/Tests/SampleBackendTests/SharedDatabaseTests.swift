import Foundation
import GRDB
import JSONTree
import ServerTestSupport
import TemporaryFolders
import Testing

/// Two servers, or a server and a command, on one database.
@Suite(.timeLimit(.minutes(2)))
struct SharedDatabaseTests {
    /// Maximum time for a publish to reach the other server.
    private static let limit: Duration = .seconds(30)

    /// Polls a server until it serves a version or the time limit is over; returns the time taken.
    private func time(
        until version: Int, isServedBy backend: RunningBackend
    ) async throws -> Duration {
        let start = ContinuousClock.now
        while start.duration(to: .now) < Self.limit {
            let answer = try await backend.answer("/activeconfig")
            if answer.status == 200 {
                let document = try JSONNode(jsonData: answer.body)
                if document["meta"]?["template_version"]?.integerValue == version { break }
            }
        }
        return start.duration(to: .now)
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
            #expect(try await time(until: version, isServedBy: other) < Self.limit)
        }
        let one = try await first.answer("/activeconfig/user/3")
        let two = try await second.answer("/activeconfig/user/3")
        #expect(one.body == two.body)
        #expect(one.fields["etag"] == two.fields["etag"])
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
        #expect(try await time(until: 1, isServedBy: backend) < Self.limit)
        _ = await backend.stop()
    }

    /// A change is told once: what could not be read then has to be read again without another one.
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
        var failures = 0
        for await line in backend.process.errorLines where line.contains("changes were lost") {
            failures += 1
            if failures == 3 { break }
        }
        try await database.write { db in
            try db.execute(sql: "ALTER TABLE hidden_tokens RENAME TO tokens")
        }
        let start = ContinuousClock.now
        while try await status() != 401, start.duration(to: .now) < Self.limit {}
        #expect(try await status() == 401)
        backend.process.send(signal: SIGKILL)
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
