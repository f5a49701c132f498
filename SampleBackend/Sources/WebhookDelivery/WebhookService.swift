import Foundation
package import Logging
import Metrics
import NIOConcurrencyHelpers
import OrderedCollections
import ServiceLifecycle
package import TemplateStore
import Templates

/// A type that sends what webhooks are to be told (HTTP 3), whichever process published it.
package struct WebhookService: Service {
    /// The most deliveries that are sent at a time.
    private static let maximumInFlight = 64

    /// How long a delivery belongs to this process, in seconds: longer than any attempt takes.
    private static let claimTime: TimeInterval = 60

    /// The longest pause after a store that does not answer.
    private static let maximumDelay: Duration = .seconds(5)

    /// Where deliveries are kept.
    private let store: any TemplateStore

    /// How and when to send.
    private let configuration: WebhookConfiguration

    /// Where faults are named.
    private let logger: Logger

    /// What is counted.
    private let metrics: DeliveryMetrics

    /// How many deliveries are being sent.
    private let inFlight = NIOLockedValueBox(0)

    /// Makes a service.
    package init(
        store: any TemplateStore, configuration: WebhookConfiguration, logger: Logger,
        metrics: DeliveryMetrics
    ) {
        self.store = store
        self.configuration = configuration
        self.logger = logger
        self.metrics = metrics
    }

    /// Sends until the task is cancelled or the server shuts down; what is being sent then is left
    /// to whoever comes next.
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

    /// Takes as much as there is room for.
    private func claim() async throws(TemplateStoreError) -> [ClaimedDelivery] {
        let room = Self.maximumInFlight - inFlight.withLockedValue { $0 }
        guard room > 0 else { return [] }
        let date = Date()
        return try await store.claimDeliveries(
            date: date, until: date + Self.claimTime, limit: room)
    }

    /// Sends a delivery, and stores what came of it.
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

    /// Sends a delivery.
    private func send(
        _ claimed: ClaimedDelivery, changedSections: [String]
    ) async -> DeliveryAnswer {
        let sender = DeliverySender(
            allowsPrivateAddresses: configuration.allowsPrivateAddresses,
            timeout: configuration.timeout, resolve: configuration.resolve)
        let message = DeliveryMessage(claimed, changedSections: changedSections, date: Date())
        return await sender.send(message, of: claimed, now: { Date() })
    }

    /// What is to be stored of an answer.
    private func attempt(
        at claimed: ClaimedDelivery, answer: DeliveryAnswer
    ) -> DeliveryAttempt {
        let date = Date()
        let number = claimed.delivery.attempts
        // A server that is shut down cuts off what it sends, which is not the receiver's fault.
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

    /// Counts an attempt, and names one that failed.
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

    /// The sections that may have changed since the receiver was last told; all of them when the
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

    /// Names an error of the store in the log.
    private func name(_ error: any Error, operation: String) {
        metrics.countStoreError(operation: operation)
        logger.warning(
            "The store failed while webhooks were served",
            metadata: ["operation": "\(operation)", "error": "\(error)"])
    }
}

extension StoredTemplate {
    /// The template; nil when this program cannot read it.
    fileprivate var parsed: RemoteConfigTemplate? {
        try? ValidatedTemplate(jsonData: content, limits: .none).template
    }
}

/// Counts attempts at deliveries.
package struct DeliveryMetrics: Sendable {
    package init() {}

    func countStoreError(operation: String) {
        Counter(label: "activeconfig_store_errors", dimensions: [("operation", operation)])
            .increment()
    }

    /// - Parameter outcome: `delivered`, `retried` or `failed`.
    func countDelivery(outcome: String) {
        Counter(label: "activeconfig_webhook_deliveries", dimensions: [("outcome", outcome)])
            .increment()
    }
}
