import ClientAPI
import Foundation
import HTTPServing
import InMemoryTemplateStore
import JSONTree
import Logging
import SeededRandomness
import TemplateStore
import Templates
import Testing

@testable import AdminAPI
@testable import ClientAPI

/// How the use of projects gets from memory into the store.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UsageRecorderTests {
    private let store = InMemoryTemplateStore()
    private let usage = UsageTally()
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private let app = UsedApp(id: "a", version: "1")

    /// A recorder of a server, whose hub has no streams.
    private func recorder(
        fault: TemplateStoreError? = nil
    ) async throws -> UsageRecorder {
        _ = try await store.publish(
            TemplateSubmission(
                project: "p", content: Data("{}".utf8), expectation: .any, date: Date(),
                user: .init(name: nil)))
        let library = TemplateLibrary(store: store, logger: logger)
        try await library.load()
        var administration = Administration(
            store: store, library: library, access: AdministratorAccess(environmentToken: nil),
            metrics: LibraryMetrics(),
            hub: RealtimeHub(
                library: library, limits: ClientLimits(), unreadTime: ServerLimits().unreadTime,
                usage: usage),
            now: { Date() })
        administration.storeFault = { fault }
        return try #require(UsageRecorder(administration: administration, logger: logger))
    }

    @Test func whatIsKnownIsStoredOnce() async throws {
        let recorder = try await recorder()
        usage.recordDelivery(to: app, inProject: "p", version: 1)
        await recorder.store()
        #expect(try await store.usage(inProject: "p").deliveries[app]?.version == 1)
        #expect(usage.take() == [:])
    }

    @Test func aFailingStoreLosesNothingThatComesBack() async throws {
        let recorder = try await recorder()
        usage.recordDelivery(to: app, inProject: "p", version: 1)
        await store.close()
        await recorder.store()
        #expect(usage.take()["p"]?.deliveries[app]?.version == 1)
    }

    @Test func aStoreThatIsKnownToFailIsNotCalled() async throws {
        let recorder = try await recorder(fault: .closed)
        usage.recordDelivery(to: app, inProject: "p", version: 1)
        await recorder.store()
        #expect(try await store.usage(inProject: "p") == ProjectUsage())
        #expect(usage.take().count == 1)
    }

    @Test func recordingBeginsWithoutAnyClient() async throws {
        let recorder = try await recorder()
        await recorder.measureShares()
        await recorder.store()
        let found = try await store.usage(inProject: "p")
        #expect(found.since != nil)
        #expect(found.shares == [])
    }
}
