import Foundation
import GRDB
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

/// Deliveries of processes that are killed, or that share a database.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct WebhookDeliveryTests {
    private static let path = "/v1/projects/default/remoteConfig"

    /// Allows webhooks on this machine.
    private static let arguments = ["--allow-private-webhooks", "--log-level", "error"]

    private func publish(_ title: String, on backend: RunningBackend) async throws {
        let answer = try await backend.administer(
            "PUT", Self.path, ifMatch: "*", body: AdministrationTarget.templateText(title: title))
        #expect(answer.status == 200)
    }

    /// Publishes a first version and adds a webhook.
    private func addWebhook(_ url: String, to backend: RunningBackend) async throws {
        try await publish("one", on: backend)
        let answer = try await backend.administer(
            "POST", "/v1/projects/default/webhooks", body: #"{"url":"\#(url)"}"#)
        #expect(answer.status == 200)
    }

    /// Versions in a receiver's notifications, up to and including `last`.
    private func versions(of receiver: WebhookReceiver, upTo last: String) async throws -> [String]
    {
        var versions: [String] = []
        for await request in receiver.requests {
            let version = try JSONNode(jsonData: request.body)["versionNumber"]?.stringValue
            versions.append(try #require(version))
            if version == last { break }
        }
        return versions
    }

    @Test func aWebhookLosesNothingWhenTheServerIsKilledAfterAPublish() async throws {
        let folder = try TemporaryFolder()
        let receiver = try await WebhookReceiver()
        let killed = try await RunningBackend(store: folder.store, Self.arguments)
        try await addWebhook(receiver.url(), to: killed)
        try await publish("two", on: killed)
        killed.process.send(signal: SIGKILL)
        #expect(await killed.process.exitCode() == -SIGKILL)
        let backend = try await RunningBackend(store: folder.store, Self.arguments)
        #expect(try await versions(of: receiver, upTo: "2") == ["2"])
        _ = await backend.stop()
    }

    @Test func aDeliveryThatAKilledServerHadBegunIsDueAtOnce() async throws {
        let folder = try TemporaryFolder()
        let receiver = try await WebhookReceiver(.silence)
        let killed = try await RunningBackend(store: folder.store, Self.arguments)
        try await addWebhook(receiver.url(), to: killed)
        try await publish("two", on: killed)
        #expect(try await versions(of: receiver, upTo: "2") == ["2"])
        killed.process.send(signal: SIGKILL)
        #expect(await killed.process.exitCode() == -SIGKILL)
        func claims() throws -> Int? {
            let database = try DatabaseQueue(path: folder.path("test.sqlite"))
            defer { try? database.close() }
            return try database.read { db in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM deliveries WHERE is_claimed")
            }
        }
        #expect(try claims() == 1)
        // Opens the store without sending anything.
        let run = try await CommandRun(["webhooks", "list", "--store", folder.store])
        #expect(run.exitCode == 0, "\(run)")
        #expect(try claims() == 0)
    }

    /// The receiver has version 2, which no server knows, and has to notice the way back.
    @Test func theSectionsIncludeThoseOfAnAttemptOfAKilledServer() async throws {
        let folder = try TemporaryFolder()
        let receiver = try await WebhookReceiver(.silence)
        let killed = try await RunningBackend(store: folder.store, Self.arguments)
        try await addWebhook(receiver.url(), to: killed)
        try await publish("two", on: killed)
        var requests = receiver.requests.makeAsyncIterator()
        let first = try JSONNode(jsonData: try #require(await requests.next()).body)
        #expect(first["versionNumber"] == "2")
        killed.process.send(signal: SIGKILL)
        #expect(await killed.process.exitCode() == -SIGKILL)
        let file = try folder.write(
            AdministrationTarget.templateText(title: "one"), to: "template.json")
        let run = try await CommandRun(["publish", file, "--force", "--store", folder.store])
        #expect(run.exitCode == 0, "\(run)")
        let backend = try await RunningBackend(store: folder.store, Self.arguments)
        let second = try JSONNode(jsonData: try #require(await requests.next()).body)
        #expect(second["versionNumber"] == "3")
        #expect(second["changedSections"] == first["changedSections"])
        #expect(first["changedSections"]?.arrayValue?.isEmpty == false)
        backend.process.send(signal: SIGKILL)
        _ = await backend.process.exitCode()
    }

    @Test func theServerSendsWhatACommandPublished() async throws {
        let folder = try TemporaryFolder()
        let receiver = try await WebhookReceiver()
        let backend = try await RunningBackend(store: folder.store, Self.arguments)
        try await addWebhook(receiver.url(), to: backend)
        _ = await backend.stop()
        let file = try folder.write(
            AdministrationTarget.templateText(title: "two"), to: "template.json")
        let run = try await CommandRun(["publish", file, "--force", "--store", folder.store])
        #expect(run.exitCode == 0, "\(run)")
        #expect(receiver.requestCount == 0)
        let second = try await RunningBackend(store: folder.store, Self.arguments)
        #expect(try await versions(of: receiver, upTo: "2") == ["2"])
        _ = await second.stop()
    }

    @Test func twoServersOnOneDatabaseSendEachVersionOnce() async throws {
        let folder = try TemporaryFolder()
        let receiver = try await WebhookReceiver()
        let first = try await RunningBackend(store: folder.store, Self.arguments)
        let second = try await RunningBackend(store: folder.store, Self.arguments)
        try await addWebhook(receiver.url(), to: first)
        var expected: [String] = []
        for version in 2...7 {
            try await publish("\(version)", on: version.isMultiple(of: 2) ? first : second)
            expected.append("\(version)")
            #expect(try await versions(of: receiver, upTo: "\(version)") == ["\(version)"])
        }
        #expect(receiver.requestCount == expected.count)
        _ = await first.stop()
        _ = await second.stop()
    }

    @Test func theServerRefusesPrivateAddressesByDefault() async throws {
        let backend = try await RunningBackend()
        try await publish("one", on: backend)
        let answer = try await backend.administer(
            "POST", "/v1/projects/default/webhooks", body: #"{"url":"http://127.0.0.1:1/"}"#)
        #expect(answer.status == 400)
        #expect(answer.error?.message.contains("--allow-private-webhooks") == true)
        _ = await backend.stop()
    }
}
