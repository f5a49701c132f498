import Foundation
import JSONTree
import ServerTestSupport
import TemporaryFolders
import Testing

/// Two servers, or a server and a command, on one database.
@Suite(.timeLimit(.minutes(5)))
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
