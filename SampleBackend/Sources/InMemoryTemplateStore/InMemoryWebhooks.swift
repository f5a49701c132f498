import Foundation
import TemplateStore
import Templates

/// The webhooks of an ``InMemoryTemplateStore`` with their deliveries, and the rules for both.
struct InMemoryWebhooks {
    /// A delivery, and whether it is claimed; it is due again at the claim's end.
    private struct Entry {
        var delivery: WebhookDelivery
        var isClaimed = false

        /// True while it is claimed.
        func isTaken(at date: Date) -> Bool {
            isClaimed && delivery.nextAttemptDate.map { $0 > date } ?? false
        }

        mutating func finish(as state: WebhookDelivery.State, date: Date) {
            delivery.state = state
            delivery.finishDate = date.roundedToMilliseconds
            delivery.nextAttemptDate = nil
            isClaimed = false
        }
    }

    private struct Receiver {
        let webhook: StoredWebhook
        /// The last version that the receiver knows.
        var knownVersion: Int
        /// Its deliveries, the oldest first.
        var entries: [Entry] = []

        /// Supersedes the pending, unclaimed deliveries before the last, and drops the oldest
        /// finished ones.
        mutating func supersede(date: Date) {
            for index in entries.indices.dropLast()
            where entries[index].delivery.state == .pending && !entries[index].isTaken(at: date) {
                entries[index].finish(as: .superseded, date: date)
            }
            let finished = entries.filter { $0.delivery.state != .pending }
            let dropped = Set(
                finished.dropLast(TemplateStoreLimits.finishedDeliveries).map(\.delivery.id))
            entries.removeAll { dropped.contains($0.delivery.id) }
        }

        /// Claims the last delivery, if it is due and none of this webhook is claimed.
        mutating func claim(date: Date, until end: Date) -> ClaimedDelivery? {
            if entries.contains(where: { $0.isTaken(at: date) }) { return nil }
            supersede(date: date)
            guard let index = entries.indices.last,
                let due = entries[index].delivery.nextAttemptDate, due <= date
            else { return nil }
            entries[index].isClaimed = true
            entries[index].delivery.attempts += 1
            entries[index].delivery.nextAttemptDate = end.roundedToMilliseconds
            return ClaimedDelivery(
                delivery: entries[index].delivery, webhook: webhook, knownVersion: knownVersion)
        }

        /// When the last delivery is due and no claim is left; nil when neither is pending.
        var nextDeliveryDate: Date? {
            entries.indices
                .filter { entries[$0].isClaimed || $0 == entries.indices.last }
                .compactMap { entries[$0].delivery.nextAttemptDate }.max()
        }

        /// Applies the result of an attempt at a delivery.
        mutating func finish(_ attempt: DeliveryAttempt, at index: Int) {
            entries[index].delivery.statusCode = attempt.statusCode
            entries[index].delivery.error = attempt.error
            switch attempt.outcome {
            case .delivered:
                entries[index].finish(as: .delivered, date: attempt.date)
                knownVersion = max(knownVersion, entries[index].delivery.version)
            case .failed: entries[index].finish(as: .failed, date: attempt.date)
            case .retry(let date):
                entries[index].isClaimed = false
                entries[index].delivery.nextAttemptDate = date.roundedToMilliseconds
            }
            supersede(date: attempt.date)
        }
    }

    /// The webhooks, the oldest first.
    private var receivers: [Receiver] = []

    /// The webhooks of a project, the oldest first.
    func webhooks(inProject project: String) -> [StoredWebhook] {
        receivers.map(\.webhook).filter { $0.project == project }
    }

    /// Adds a webhook to a project that has a version.
    mutating func add(
        _ webhook: StoredWebhook, currentVersion: Int
    ) throws(TemplateStoreError) -> StoredWebhook {
        guard webhooks(inProject: webhook.project).count < TemplateStoreLimits.webhooks else {
            throw .tooManyWebhooks(inProject: webhook.project)
        }
        let webhook = webhook.roundedToMilliseconds
        receivers.append(Receiver(webhook: webhook, knownVersion: currentVersion))
        return webhook
    }

    /// Removes and returns a webhook; nil when there is none.
    mutating func remove(id: String, inProject project: String) -> StoredWebhook? {
        guard let index = index(ofWebhook: id, inProject: project) else { return nil }
        return receivers.remove(at: index).webhook
    }

    /// The newest deliveries of a webhook, newest first.
    func deliveries(
        ofWebhook id: String, inProject project: String, limit: Int
    ) -> [WebhookDelivery] {
        guard let index = index(ofWebhook: id, inProject: project) else { return [] }
        return receivers[index].entries.reversed().prefix(max(limit, 0)).map(\.delivery)
    }

    /// Adds a delivery of a new version for each webhook of its project.
    mutating func enqueue(_ template: StoredTemplate) {
        for index in receivers.indices where receivers[index].webhook.project == template.project {
            let delivery = WebhookDelivery(
                id: WebhookDelivery.newID(), webhookID: receivers[index].webhook.id,
                version: template.version)
            receivers[index].entries.append(Entry(delivery: delivery))
            receivers[index].supersede(date: template.version.updateTime)
        }
    }

    /// Claims due deliveries, at most one per webhook, the oldest first.
    mutating func claim(date: Date, until end: Date, limit: Int) -> [ClaimedDelivery] {
        let date = date.roundedToMilliseconds
        let order = receivers.indices.sorted { left, right in
            let (left, right) = (receivers[left], receivers[right])
            return left.entries.last?.delivery.nextAttemptDate ?? .distantFuture
                < right.entries.last?.delivery.nextAttemptDate ?? .distantFuture
        }
        var claimed: [ClaimedDelivery] = []
        for index in order {
            guard claimed.count < limit else { break }
            if let delivery = receivers[index].claim(date: date, until: end) {
                claimed.append(delivery)
            }
        }
        return claimed
    }

    /// The time from which there is a delivery to claim.
    var nextDeliveryDate: Date? { receivers.compactMap(\.nextDeliveryDate).min() }

    /// Applies the result of an attempt, if it belongs to the last claim.
    mutating func finish(_ attempt: DeliveryAttempt) {
        for index in receivers.indices {
            let place = receivers[index].entries.firstIndex { entry in
                entry.delivery.id == attempt.deliveryID && entry.delivery.state == .pending
                    && entry.delivery.attempts == attempt.number
            }
            if let place { receivers[index].finish(attempt, at: place) }
        }
    }

    private func index(ofWebhook id: String, inProject project: String) -> Int? {
        receivers.firstIndex {
            $0.webhook.id.utf8.elementsEqual(id.utf8) && $0.webhook.project == project
        }
    }
}
