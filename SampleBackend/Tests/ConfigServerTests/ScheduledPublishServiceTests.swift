import Foundation
import InMemoryTemplateStore
import JSONTree
import Logging
import NIOConcurrencyHelpers
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Templates
import Testing
import WebhookDelivery

@testable import AdminAPI
@testable import ConfigServer

/// The service that looks at the schedules of all projects.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ScheduledPublishServiceTests {
    private typealias Server = ScheduleTestServer

    /// A project with much that is due, or large templates, delays no other one.
    @Test func aProjectThatTakesLongDelaysNoOtherOne() async throws {
        let server = try await Server()
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let calls = Locked(0)
        var administration = server.administration
        administration.storeFault = {
            // The first call is for the first request that is due.
            let number = calls.withLock { calls in
                calls += 1
                return calls
            }
            if number == 1 { for await _ in gate {} }
            return nil
        }
        let service = ScheduledPublishService(
            administration: administration, webhooks: WebhookOptions(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            now: administration.now)
        _ = await server.schedule(["a": "2", "b": "1"], at: 60)
        _ = try await server.store.publish(
            TemplateSubmission(
                project: "other", content: Server.template(["a": "1"]).jsonData(),
                expectation: .any, date: Server.beginning - 60, user: .init(name: "root")))
        server.clock.withLockedValue { $0 = Server.beginning + 60 }
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { await service.run() }
            try await waitUntil { calls.withLock { $0 } == 1 }
            let now = await server.call(
                "POST", "/scheduledPublishes",
                [
                    "title": "Title", "template": Server.template(["a": "2"]),
                    "base": "etag-other-1", "at": Server.time(61),
                ], inProject: "other")
            #expect(now.status == 201, "\(now.message)")
            server.clock.withLockedValue { $0 = Server.beginning + 61 }
            service.wake()
            try await waitUntil {
                try await server.store.template(version: nil, inProject: "other")?.version.number
                    == 2
            }
            #expect(try await server.version()?.number == 1)
            opening.finish()
            try await waitUntil { try await server.version()?.number == 2 }
            group.cancelAll()
        }
    }
}
