import Foundation
package import Logging
import Metrics
import NIOConcurrencyHelpers
import ServiceLifecycle
package import TemplateStore
import Templates

/// Delivers the events of all webhooks, regardless of the process that queued them (API 3).
///
/// It reads the store when it is woken, when a delivery ends, when the next delivery is due, and
/// every few seconds while deliveries are pending, since another process may release its claims.
package struct WebhookService: Service {
    /// Time in seconds for which this process holds the claim of a delivery; longer than any
    /// attempt takes.
    private static let claimTime: TimeInterval = 60

    /// Bounds of the back-off after a failure of the store.
    private static let delays: (minimum: Duration, maximum: Duration) = (
        .milliseconds(500), .seconds(5)
    )

    /// Minimum time between two reads of the store for an overdue delivery, which another process
    /// may be about to claim.
    private static let minimumPause: Duration = .milliseconds(100)

    /// Maximum time between two reads of the store while deliveries are pending: a process that
    /// ends releases its claims, and the change feed does not report that.
    private static let pendingPause: Duration = .seconds(3)

    private let store: any TemplateStore
    private let options: WebhookOptions
    private let logger: Logger
    private let metrics: DeliveryMetrics
    private let changedSections: KnownChanges
    /// The address at which browsers reach the console, without a path; nil when it is unknown.
    private let consoleOrigin: String?
    private let wakeUps: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation

    /// The sections that changed between two versions of a project, if the server has already
    /// computed them.
    package typealias KnownChanges =
        @Sendable (_ project: String, _ oldVersion: Int, _ newVersion: Int) -> [String]?

    private struct Counts: Sendable {
        var inFlight = 0
        var claims = 0
    }

    private let counts = NIOLockedValueBox(Counts())

    /// Number of attempts to claim due deliveries from the store.
    package var claimCount: Int { counts.withLockedValue { $0.claims } }

    package init(
        store: any TemplateStore, options: WebhookOptions, logger: Logger,
        metrics: DeliveryMetrics, consoleOrigin: String? = nil,
        changedSections: @escaping KnownChanges = { _, _, _ in nil }
    ) {
        (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.changedSections = changedSections
        self.consoleOrigin = consoleOrigin
        self.store = store
        self.options = options
        self.logger = logger
        self.metrics = metrics
    }

    /// Looks for deliveries immediately, for example after a publish by any process.
    package func wake() { wakeUp.yield() }

    /// Delivers until the task is cancelled or the server shuts down; deliveries in flight are left
    /// to other processes.
    package func run() async {
        // An earlier process may have left deliveries.
        wake()
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                var alarm: Task<Void, any Error>?
                defer { alarm?.cancel() }
                var delay = Self.delays.minimum
                var logged: String?
                for await _ in wakeUps {
                    alarm?.cancel()
                    let pause: Duration
                    do {
                        for claimed in try await claim() {
                            counts.withLockedValue { $0.inFlight += 1 }
                            group.addTask {
                                await deliver(claimed)
                                counts.withLockedValue { $0.inFlight -= 1 }
                                wake()
                            }
                        }
                        pause = try await timeUntilNextDelivery()
                        delay = Self.delays.minimum
                        logged = nil
                    } catch {
                        // Log a repeated failure once, or an unavailable store would fill the log.
                        // Compare only the message: the details of the connection differ each time.
                        let message = (error as? TemplateStoreError)?.message ?? "\(error)"
                        name(error, operation: "claim_deliveries", isNews: message != logged)
                        logged = message
                        pause = delay
                        delay = min(delay * 2, Self.delays.maximum)
                    }
                    alarm = Task {
                        try await Task.sleep(for: pause)
                        wake()
                    }
                }
            }
        }
    }

    /// The time to wait before the next claim, unless the service is woken.
    private func timeUntilNextDelivery() async throws(TemplateStoreError) -> Duration {
        // When there is no room, the end of a delivery wakes the service.
        guard room > 0, let next = try await store.nextDeliveryDate() else {
            return options.maximumPause
        }
        let time = Duration.seconds(max(0, next.timeIntervalSinceNow))
        return min(max(time, Self.minimumPause), Self.pendingPause, options.maximumPause)
    }

    /// Number of deliveries that may start now.
    private var room: Int { options.maximumInFlight - counts.withLockedValue { $0.inFlight } }

    /// Claims as many due deliveries as there is room for.
    private func claim() async throws(TemplateStoreError) -> [ClaimedDelivery] {
        guard room > 0 else { return [] }
        counts.withLockedValue { $0.claims += 1 }
        let date = Date()
        return try await store.claimDeliveries(
            date: date, until: date + Self.claimTime, limit: room)
    }

    /// Sends a delivery, and stores the result unless another process has claimed it since.
    private func deliver(_ claimed: ClaimedDelivery) async {
        let answer: DeliveryAnswer
        do throws(TemplateStoreError) {
            let sections = try await changedSections(of: claimed)
            // The claim may have expired: this process may have been suspended.
            guard try await store.holdsClaim(of: claimed, date: Date()) else {
                return logLostClaim(of: claimed)
            }
            answer = await send(claimed, changedSections: sections)
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

    private func logLostClaim(of claimed: ClaimedDelivery) {
        logger.warning(
            "A webhook delivery lost its claim before it was sent: it took too long, or its webhook was removed",
            metadata: [
                "project": "\(claimed.webhook.project)", "webhook": "\(claimed.webhook.id)",
                "attempt": "\(claimed.delivery.attempts)",
            ])
    }

    private func send(
        _ claimed: ClaimedDelivery, changedSections: [String]
    ) async -> DeliveryAnswer {
        let sender = DeliverySender(options)
        let message = DeliveryMessage(
            claimed, changedSections: changedSections, consoleOrigin: consoleOrigin, date: Date())
        return await sender.send(
            message, to: claimed.webhook, attempt: claimed.delivery.attempts, now: { Date() })
    }

    /// The attempt to record for a result.
    private func attempt(
        at claimed: ClaimedDelivery, answer: DeliveryAnswer
    ) -> DeliveryAttempt {
        let date = Date()
        // A shutdown interrupts deliveries in flight, which must not count as the receiver's
        // failures.
        let isCutOff = Task.isCancelled && answer.statusCode == nil
        return DeliveryAttempt(
            at: claimed,
            outcome: isCutOff
                ? .retry(at: date)
                : options.schedule.outcome(
                    of: answer, attempt: claimed.delivery.attempts, date: date,
                    part: .random(in: 0...1)),
            statusCode: answer.statusCode,
            error: isCutOff ? "The server shut down during this attempt." : answer.error,
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
            "A webhook delivery failed",
            metadata: [
                "project": "\(claimed.webhook.project)", "webhook": "\(claimed.webhook.id)",
                "event": "\(claimed.delivery.event.topic.rawValue)",
                "version": "\(claimed.delivery.version.map(String.init) ?? "")",
                "attempt": "\(attempt.number)",
                "outcome": "\(outcome)", "error": "\(attempt.error ?? "")",
            ])
    }

    private func changedSections(
        of claimed: ClaimedDelivery
    ) async throws(TemplateStoreError) -> [String] {
        guard let version = claimed.delivery.version else { return [] }
        return try await DeliveredChanges(
            claimed: claimed, version: version, templates: store, store: store,
            knownChanges: changedSections
        ).sections()
    }

    private func name(_ error: any Error, operation: String, isNews: Bool = true) {
        metrics.countStoreError(operation: operation)
        guard isNews else { return }
        logger.warning(
            "The store failed while webhooks were delivered",
            metadata: ["operation": "\(operation)", "error": "\(error)"])
    }
}

package struct DeliveryMetrics: Sendable {
    // Create all counters at the start: PromQL's `increase` misses the first value of a new series.
    private let deliveries = Dictionary(
        uniqueKeysWithValues: ["delivered", "retried", "failed"].map {
            ($0, Counter(label: "activeconfig_webhook_deliveries", dimensions: [("outcome", $0)]))
        })

    package init() {}

    func countStoreError(operation: String) {
        Counter(label: "activeconfig_store_errors", dimensions: [("operation", operation)])
            .increment()
    }

    /// `outcome` is `delivered`, `retried` or `failed`.
    func countDelivery(outcome: String) {
        deliveries[outcome]?.increment()
    }
}

/// The delivery of webhooks (API 3).
public struct WebhookOptions: Sendable {
    /// A Boolean value that indicates whether webhooks may point at private networks and at this
    /// machine.
    ///
    /// If true, every user who may add a webhook can make this server send requests there.
    public var allowsPrivateAddresses = false

    package var schedule = DeliverySchedule()

    /// Time limit for an attempt, including name resolution.
    package var timeout: Duration = .seconds(10)

    /// Maximum number of concurrent deliveries.
    package var maximumInFlight = 64

    /// Maximum time between two reads of the store, in case a change notification was lost.
    package var maximumPause: Duration = .seconds(30)

    /// Resolves the addresses of a host name.
    package var resolve: @Sendable (_ host: String) async throws -> [NetworkAddress] =
        HostAddresses.resolve

    /// Creates options that deliver to publicly routable addresses only.
    public init() {}
}
