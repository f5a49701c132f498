import AdminAPI
import Foundation
import HTTPServing
import InMemoryTemplateStore
import Logging
import SeededRandomness
import TemplateStore
import Templates
import Testing
import WebhookDelivery

@testable import ClientAPI
@testable import ConfigServer

/// The order in which a server reads its store.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct StoreFollowerTests {
    /// An audit trail whose reads wait until they are released.
    private struct SlowTrail: AuditStoring {
        let beginning: AsyncStream<Void>.Continuation
        let release: AsyncStream<Void>

        func auditEntries(
            inProject project: String, matching query: AuditQuery
        ) async throws(TemplateStoreError) -> [AuditEntry] {
            beginning.finish()
            for await _ in release {}
            return []
        }
    }

    /// A follower of a store with a project and a token, whose audit trail is slow.
    private struct Follower {
        let access = AdministratorAccess(environmentToken: nil)
        let library: TemplateLibrary
        let follower: StoreFollower
        /// Ends when the audit trail is read.
        let begun: AsyncStream<Void>
        let releasing: AsyncStream<Void>.Continuation

        init() async throws {
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let store = InMemoryTemplateStore()
            _ = try await store.publish(
                TemplateSubmission(
                    project: "p", content: Data("{}".utf8), expectation: .any, date: Date(),
                    user: .init()))
            try await store.addToken(
                StoredToken(
                    id: "1", name: "test", role: .viewer, hash: .sha256(of: "x"),
                    creationDate: Date(), expirationDate: nil), actor: "test")
            let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
            let (released, releasing) = AsyncStream.makeStream(of: Void.self)
            self.begun = begun
            self.releasing = releasing
            library = TemplateLibrary(
                store: store, logger: logger,
                earlierOverrides: EarlierOverrides(
                    store: SlowTrail(beginning: beginning, release: released), logger: logger))
            follower = StoreFollower(
                library: library, access: access,
                webhooks: WebhookService(
                    store: store, options: WebhookOptions(), logger: logger,
                    metrics: DeliveryMetrics()),
                logger: logger, metrics: LibraryMetrics())
        }
    }

    @Test func theTokensDoNotWaitForTheAuditTrail() async throws {
        let slow = try await Follower()
        let loading = Task { try await slow.follower.load() }
        for await _ in slow.begun {}
        #expect(slow.access.holder(ofToken: "x")?.tokenID == "1")
        #expect(slow.library.earlierOverrides.mayInclude("1", inProject: "p", since: 1))
        slow.releasing.finish()
        try await loading.value
        #expect(!slow.library.earlierOverrides.mayInclude("1", inProject: "p", since: 1))
    }

    @Test func aStartDoesNotWaitForALongAuditTrail() async throws {
        let slow = try await Follower()
        defer { slow.releasing.finish() }
        try await slow.follower.load()
        #expect(slow.library.project("p") != nil)
        #expect(slow.library.earlierOverrides.mayInclude("1", inProject: "p", since: 1))
    }
}
