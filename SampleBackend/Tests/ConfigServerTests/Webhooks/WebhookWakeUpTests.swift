import ClientAPI
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

@testable import WebhookDelivery

/// When the webhook service reads the store, and what it receives.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct WebhookWakeUpTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private let store = InMemoryTemplateStore()

    @Test func aVersionIsComparedOnceForAllReceivers() async throws {
        let library = TemplateLibrary(store: store, logger: Self.logger)
        try await publish("one", into: library)
        let receivers = [try await WebhookReceiver(), try await WebhookReceiver()]
        for (index, receiver) in receivers.enumerated() { try await add("\(index)", receiver) }
        try await publish("two", into: library)
        #expect(library.comparisonCount == 1)
        let service = WebhookService(
            store: store, options: .quick(), logger: Self.logger, metrics: DeliveryMetrics(),
            changedSections: { project, old, new in
                let known = library.changedSections(ofProject: project, from: old, to: new)
                #expect(known == ["Default"], "\(old) to \(new)")
                return known
            })
        try await whileRunning(service) {
            for receiver in receivers {
                let body = try await WebhookTrial.next(receiver).body
                #expect(try JSONNode(jsonData: body)["changedSections"] == ["Default"])
            }
        }
        #expect(library.comparisonCount == 1)
        #expect(library.compilationCount == 2)
    }

    /// Nothing else wakes the service during this time: it does not poll.
    @Test func theStoreIsReadOnceForAWakeUpAndOnceForItsDelivery() async throws {
        let library = TemplateLibrary(store: store, logger: Self.logger)
        try await publish("one", into: library)
        let receiver = try await WebhookReceiver()
        try await add("w", receiver)
        let service = WebhookService(
            store: store, options: .quick { $0.maximumPause = .seconds(3_600) },
            logger: Self.logger, metrics: DeliveryMetrics())
        try await whileRunning(service) {
            for version in 2...4 {
                try await publish("\(version)", into: library)
                service.wake()
                _ = try await WebhookTrial.next(receiver)
            }
        }
        // One at the start, two per version; the end of a delivery and the next wake-up may
        // coincide.
        #expect((4...7).contains(service.claimCount), "\(service.claimCount)")
    }

    @Test func aDeliveryThatIsDueLaterWakesTheService() async throws {
        let library = TemplateLibrary(store: store, logger: Self.logger)
        try await publish("one", into: library)
        let receiver = try await WebhookReceiver(.status(500), .status(200))
        try await add("w", receiver)
        try await publish("two", into: library)
        let service = WebhookService(
            store: store,
            options: .quick {
                $0.maximumPause = .seconds(3_600)
                $0.schedule.pauses = [0.3]
            }, logger: Self.logger, metrics: DeliveryMetrics())
        try await whileRunning(service) {
            for _ in 1...2 { _ = try await WebhookTrial.next(receiver) }
        }
        #expect(service.claimCount < 10)
    }

    @Test func aStoreThatStaysAwayIsLoggedOnce() async throws {
        let lines = NIOLockedValueBox<[String]>([])
        let service = WebhookService(
            store: store, options: .quick(),
            logger: Logger(label: "test") { _ in LineHandler(lines: lines) },
            metrics: DeliveryMetrics())
        await store.close()
        try await whileRunning(service) {
            try await waitUntil {
                service.wake()
                return service.claimCount >= 10
            }
        }
        #expect(lines.withLockedValue { $0 } == ["The store failed while webhooks were delivered"])
    }

    private struct LineHandler: LogHandler {
        let lines: NIOLockedValueBox<[String]>
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.warning

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.withLockedValue { $0.append("\(event.message)") }
        }
    }

    private func publish(_ title: String, into library: TemplateLibrary) async throws {
        let stored = try await store.publish(
            TemplateSubmission(
                project: "default",
                content: Data(
                    #"{"parameters": {"title": {"defaultValue": {"value": "\#(title)"}}}}"#.utf8),
                expectation: .any, date: Date(), user: TemplateVersion.User(name: nil)))
        library.apply(stored)
    }

    private func add(_ id: String, _ receiver: WebhookReceiver) async throws {
        try await store.addWebhook(
            StoredWebhook(
                id: id, project: "default", url: receiver.url(), secret: "s", creationDate: Date(),
                creator: "test"))
    }

    private func whileRunning(
        _ service: WebhookService, _ body: () async throws -> Void
    ) async throws {
        let task = Task { await service.run() }
        defer { task.cancel() }
        try await body()
    }
}
