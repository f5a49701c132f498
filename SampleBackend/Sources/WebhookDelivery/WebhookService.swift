import Foundation
package import Logging
import Metrics
import NIOConcurrencyHelpers
import OrderedCollections
import ServiceLifecycle
package import TemplateStore
import Templates

/// Delivers the webhooks of all published versions, whichever process published them (HTTP 3).
package struct WebhookService: Service {
    /// Maximum number of concurrent deliveries.
    private static let maximumInFlight = 64

    /// Time in seconds for which this process owns a claimed delivery; longer than any attempt
    /// takes.
    private static let claimTime: TimeInterval = 60

    /// Maximum delay before the next attempt after a failure of the store.
    private static let maximumDelay: Duration = .seconds(5)

    private let store: any TemplateStore
    private let configuration: WebhookConfiguration
    private let logger: Logger
    private let metrics: DeliveryMetrics

    /// Number of deliveries in flight.
    private let inFlight = NIOLockedValueBox(0)

    package init(
        store: any TemplateStore, configuration: WebhookConfiguration, logger: Logger,
        metrics: DeliveryMetrics
    ) {
        self.store = store
        self.configuration = configuration
        self.logger = logger
        self.metrics = metrics
    }

    /// Delivers until the task is cancelled or the server shuts down; deliveries in flight are then
    /// left to the next process.
    package func run() async {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                var delay = configuration.pollInterval
                while !Task.isCancelled {
                    do {
                        for claimed in try await claim() {
                            inFlight.withLockedValue { $0 += 1 }
                            group.addTask {
                                await deliver(claimed)
                                inFlight.withLockedValue { $0 -= 1 }
                            }
                        }
                        delay = configuration.pollInterval
                    } catch {
                        name(error, operation: "claim_deliveries")
                        delay = min(delay * 2, Self.maximumDelay)
                    }
                    try? await Task.sleep(for: delay)
                }
            }
        }
    }

    /// Claims as many due deliveries as there are free places.
    private func claim() async throws(TemplateStoreError) -> [ClaimedDelivery] {
        let room = Self.maximumInFlight - inFlight.withLockedValue { $0 }
        guard room > 0 else { return [] }
        let date = Date()
        return try await store.claimDeliveries(
            date: date, until: date + Self.claimTime, limit: room)
    }

    /// Sends a delivery and stores the result.
    private func deliver(_ claimed: ClaimedDelivery) async {
        let answer: DeliveryAnswer
        do throws(TemplateStoreError) {
            answer = await send(claimed, changedSections: try await changedSections(of: claimed))
        } catch {
            name(error, operation: "template")
            answer = DeliveryAnswer(error: "The server could not read its templates.")
        }
        let attempt = attempt(at: claimed, answer: answer)
        do throws(TemplateStoreError) {
            try await store.finish(attempt)
        } catch {
            name(error, operation: "finish_delivery")
        }
        record(attempt, at: claimed)
    }

    private func send(
        _ claimed: ClaimedDelivery, changedSections: [String]
    ) async -> DeliveryAnswer {
        let sender = DeliverySender(
            allowsPrivateAddresses: configuration.allowsPrivateAddresses,
            timeout: configuration.timeout, resolve: configuration.resolve)
        let message = DeliveryMessage(claimed, changedSections: changedSections, date: Date())
        return await sender.send(message, of: claimed, now: { Date() })
    }

    /// The attempt to store for a result.
    private func attempt(
        at claimed: ClaimedDelivery, answer: DeliveryAnswer
    ) -> DeliveryAttempt {
        let date = Date()
        let number = claimed.delivery.attempts
        // A shutdown cuts off deliveries in flight, which must not count against the receiver.
        let isCutOff = Task.isCancelled && answer.statusCode == nil
        return DeliveryAttempt(
            deliveryID: claimed.delivery.id, number: number,
            outcome: isCutOff
                ? .retry(at: date)
                : configuration.schedule.outcome(
                    of: answer, attempt: number, date: date, part: .random(in: 0...1)),
            statusCode: answer.statusCode,
            error: isCutOff ? "The server was shut down while it sent this." : answer.error,
            date: date)
    }

    /// Counts an attempt, and logs a failed one.
    private func record(_ attempt: DeliveryAttempt, at claimed: ClaimedDelivery) {
        let outcome =
            switch attempt.outcome {
            case .delivered: "delivered"
            case .retry: "retried"
            case .failed: "failed"
            }
        metrics.countDelivery(outcome: outcome)
        guard attempt.outcome != .delivered else { return }
        logger.warning(
            "A webhook was not told of a version",
            metadata: [
                "project": "\(claimed.webhook.project)", "webhook": "\(claimed.webhook.id)",
                "version": "\(claimed.delivery.version)", "attempt": "\(attempt.number)",
                "outcome": "\(outcome)", "error": "\(attempt.error ?? "")",
            ])
    }

    /// Sections that may have changed since the receiver was last notified; all sections when the
    /// version that it knows is no longer kept.
    private func changedSections(
        of claimed: ClaimedDelivery
    ) async throws(TemplateStoreError) -> [String] {
        let version = claimed.delivery.version
        let project = claimed.webhook.project
        let new = try await store.template(version: version, inProject: project)?.parsed
        let known = min(claimed.knownVersion, version - 1)
        let old = try await store.template(version: known, inProject: project)?.parsed
        guard let new else { return [] }
        return old.map { TemplateDiff.changedSections(from: $0, to: new) }
            ?? new.sections.keys.sorted()
    }

    private func name(_ error: any Error, operation: String) {
        metrics.countStoreError(operation: operation)
        logger.warning(
            "The store failed while webhooks were served",
            metadata: ["operation": "\(operation)", "error": "\(error)"])
    }
}

extension StoredTemplate {
    /// Nil when this program cannot read the template.
    fileprivate var parsed: RemoteConfigTemplate? {
        try? ValidatedTemplate(jsonData: content, limits: .none).template
    }
}

package struct DeliveryMetrics: Sendable {
    package init() {}

    func countStoreError(operation: String) {
        Counter(label: "activeconfig_store_errors", dimensions: [("operation", operation)])
            .increment()
    }

    /// `outcome` is `delivered`, `retried` or `failed`.
    func countDelivery(outcome: String) {
        Counter(label: "activeconfig_webhook_deliveries", dimensions: [("outcome", outcome)])
            .increment()
    }
}

/// The delivery of webhooks (HTTP 3).
public struct WebhookConfiguration: Sendable {
    /// A Boolean value that indicates whether webhooks may point at private networks and at this
    /// machine.
    ///
    /// If so, everybody who may add a webhook can make this server send requests there.
    public var allowsPrivateAddresses = false

    package var schedule = DeliverySchedule()

    /// Time limit for an attempt, including name resolution.
    package var timeout: Duration = .seconds(10)

    /// Interval between two polls for due deliveries.
    package var pollInterval: Duration = .milliseconds(500)

    /// Resolves the addresses of a host.
    package var resolve: @Sendable (_ host: String) async throws -> [NetworkAddress] =
        HostAddresses.resolve

    /// Creates a configuration that delivers to publicly routable addresses only.
    public init() {}
}
