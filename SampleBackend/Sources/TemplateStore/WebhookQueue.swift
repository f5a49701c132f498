package import Foundation

/// A webhook with its deliveries and their rules, for engines that keep them as values.
package struct WebhookQueue: Sendable {
    /// A delivery and its claim.
    ///
    /// The delivery is due again when the claim ends.
    package struct Entry: Sendable, Hashable {
        /// Orders the deliveries of a webhook; unique among them.
        package let position: Int
        package var delivery: WebhookDelivery
        /// The claim under which the delivery is sent; nil when it is not claimed.
        package var claim: String?

        package init(position: Int, delivery: WebhookDelivery, claim: String? = nil) {
            self.position = position
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
    /// The position of the last delivery of a version; 0 when there was none.
    package private(set) var lastPublish: Int
    /// The deliveries, one for each event, oldest first.
    package private(set) var entries: [Entry]

    /// Creates a queue; without `lastPublish`, it is that of the entries.
    package init(
        webhook: StoredWebhook, knownVersion: Int, lastPublish: Int? = nil, entries: [Entry] = []
    ) {
        self.webhook = webhook
        self.knownVersion = knownVersion
        self.lastPublish =
            lastPublish ?? entries.last { $0.delivery.event.topic == .publish }?.position ?? 0
        self.entries = entries
    }

    /// Adds deliveries for those events that the webhook wants.
    package mutating func enqueue(_ events: [WebhookEvent], date: Date) {
        for event in events where webhook.topics.contains(event.topic) {
            // The last delivery is never dropped, so no position is used twice.
            let position = (entries.last?.position ?? 0) + 1
            let delivery = WebhookDelivery(
                id: WebhookDelivery.newID(), webhookID: webhook.id, event: event,
                creationDate: date)
            entries.append(Entry(position: position, delivery: delivery))
            if event.topic == .publish { lastPublish = position }
        }
        supersede(date: date)
    }

    /// The places of the pending deliveries in order that are not of versions.
    private var waiting: [Int] {
        entries.indices.filter { index in
            entries[index].delivery.state == .pending
                && entries[index].delivery.event.topic != .publish
        }
    }

    /// The places of the deliveries that may be sent next, in order: that of the last version, and
    /// the first of the others.
    private var heads: [Int] {
        let publish = entries.firstIndex { entry in
            entry.position == lastPublish && entry.delivery.state == .pending
        }
        return [publish, waiting.first].compactMap { $0 }.sorted()
    }

    /// Supersedes pending, unclaimed deliveries of versions before the last and the oldest of too
    /// many others, and drops the oldest finished ones.
    private mutating func supersede(date: Date) {
        let excess = Set(waiting.dropLast(TemplateStoreLimits.waitingEvents))
        for index in entries.indices
        where entries[index].delivery.state == .pending && !entries[index].isTaken(at: date) {
            let isOldVersion =
                entries[index].delivery.event.topic == .publish
                && entries[index].position < lastPublish
            if isOldVersion || excess.contains(index) {
                entries[index].finish(as: .superseded, date: date)
            }
        }
        let finished = entries.filter { $0.delivery.state != .pending }
        let dropped = Set(
            finished.dropLast(TemplateStoreLimits.finishedDeliveries).map(\.position))
        entries.removeAll { dropped.contains($0.position) }
    }

    /// Claims the delivery to be sent next if it is due and no delivery of the webhook is claimed.
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
        let due = heads.first { index in
            entries[index].delivery.nextAttemptDate.map { $0 <= date } ?? false
        }
        guard let index = due else { return nil }
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

    /// The time at which a delivery to be sent next is due and all claims have ended; nil when none
    /// is pending.
    package var nextDeliveryDate: Date? {
        let due = heads.compactMap { entries[$0].delivery.nextAttemptDate }.min()
        let claims = entries.filter { $0.claim != nil }.compactMap(\.delivery.nextAttemptDate)
        return (claims + [due].compactMap { $0 }).max()
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
            knownVersion = max(knownVersion, entries[place].delivery.version ?? 0)
        case .failed: entries[place].finish(as: .failed, date: attempt.date)
        case .retry(let date):
            entries[place].claim = nil
            entries[place].delivery.nextAttemptDate = date.roundedToMilliseconds
        }
        supersede(date: attempt.date)
        return true
    }
}
