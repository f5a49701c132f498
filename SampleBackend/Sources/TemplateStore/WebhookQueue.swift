package import Foundation
package import Templates

/// A webhook with its deliveries and their rules, for engines that keep them as values.
package struct WebhookQueue: Sendable {
    /// A delivery and its claim.
    ///
    /// The delivery is due again when the claim ends.
    package struct Entry: Sendable, Hashable {
        package var delivery: WebhookDelivery
        /// The claim under which the delivery is sent; nil when it is not claimed.
        package var claim: String?

        package init(delivery: WebhookDelivery, claim: String? = nil) {
            self.delivery = delivery
            self.claim = claim
        }

        /// True while the delivery is claimed.
        func isTaken(at date: Date) -> Bool {
            claim != nil && delivery.nextAttemptDate.map { $0 > date } ?? false
        }

        mutating func finish(as state: WebhookDelivery.State, date: Date) {
            delivery.state = state
            delivery.finishDate = date.roundedToMilliseconds
            delivery.nextAttemptDate = nil
            claim = nil
        }
    }

    package let webhook: StoredWebhook
    /// The last version that the receiver knows.
    package private(set) var knownVersion: Int
    /// The deliveries, one for each version, oldest first.
    package private(set) var entries: [Entry]

    package init(webhook: StoredWebhook, knownVersion: Int, entries: [Entry] = []) {
        self.webhook = webhook
        self.knownVersion = knownVersion
        self.entries = entries
    }

    /// Adds a delivery for a new version.
    package mutating func enqueue(_ version: TemplateVersion) {
        let delivery = WebhookDelivery(
            id: WebhookDelivery.newID(), webhookID: webhook.id, version: version)
        entries.append(Entry(delivery: delivery))
        supersede(date: version.updateTime)
    }

    /// Supersedes pending, unclaimed deliveries before the last, and drops the oldest finished
    /// ones.
    private mutating func supersede(date: Date) {
        for index in entries.indices.dropLast()
        where entries[index].delivery.state == .pending && !entries[index].isTaken(at: date) {
            entries[index].finish(as: .superseded, date: date)
        }
        let finished = entries.filter { $0.delivery.state != .pending }
        let dropped = Set(
            finished.dropLast(TemplateStoreLimits.finishedDeliveries).map(\.delivery.version))
        entries.removeAll { dropped.contains($0.delivery.version) }
    }

    /// Claims the last delivery if it is due and no delivery of the webhook is claimed.
    ///
    /// - Parameters:
    ///   - claim: The name of the claim.
    ///   - date: The current time.
    ///   - end: The end of the claim.
    /// - Returns: The delivery; nil when there is none to claim.
    package mutating func claim(
        as claim: String, date: Date, until end: Date
    ) -> ClaimedDelivery? {
        if entries.contains(where: { $0.isTaken(at: date) }) { return nil }
        supersede(date: date)
        guard let index = entries.indices.last,
            let due = entries[index].delivery.nextAttemptDate, due <= date
        else { return nil }
        entries[index].claim = claim
        entries[index].delivery.attempts += 1
        entries[index].delivery.nextAttemptDate = end.roundedToMilliseconds
        return ClaimedDelivery(
            delivery: entries[index].delivery, webhook: webhook, knownVersion: knownVersion)
    }

    /// True while a delivery has the claim with which it was returned.
    package func holdsClaim(of claimed: ClaimedDelivery, date: Date) -> Bool {
        entries.contains { entry in
            entry.isTaken(at: date) && entry.delivery.id == claimed.delivery.id
                && entry.delivery.attempts == claimed.delivery.attempts
        }
    }

    /// The time at which the last delivery is due and all claims have ended; nil when none is
    /// pending.
    package var nextDeliveryDate: Date? {
        entries.indices
            .filter { entries[$0].claim != nil || $0 == entries.indices.last }
            .compactMap { entries[$0].delivery.nextAttemptDate }.max()
    }

    /// Applies the result of a delivery attempt; false when it does not belong to the latest claim
    /// of a pending delivery.
    package mutating func finish(_ attempt: DeliveryAttempt) -> Bool {
        let place = entries.firstIndex { entry in
            entry.delivery.id == attempt.deliveryID && entry.delivery.state == .pending
                && entry.delivery.attempts == attempt.number
        }
        guard let place else { return false }
        entries[place].delivery.statusCode = attempt.statusCode
        entries[place].delivery.error = attempt.error
        switch attempt.outcome {
        case .delivered:
            entries[place].finish(as: .delivered, date: attempt.date)
            knownVersion = max(knownVersion, entries[place].delivery.version)
        case .failed: entries[place].finish(as: .failed, date: attempt.date)
        case .retry(let date):
            entries[place].claim = nil
            entries[place].delivery.nextAttemptDate = date.roundedToMilliseconds
        }
        supersede(date: attempt.date)
        return true
    }
}
