import Foundation
import TemplateStore

/// The webhooks of an ``InMemoryTemplateStore`` with their deliveries.
struct InMemoryWebhooks {
    /// The webhooks, oldest first.
    var queues: [WebhookQueue] = []

    /// The webhooks of a project, oldest first.
    func webhooks(inProject project: String) -> [StoredWebhook] {
        queues.map(\.webhook).filter { $0.isOf(project) }
    }

    /// Adds a webhook to a project that has a version.
    mutating func add(
        _ webhook: StoredWebhook, currentVersion: Int
    ) throws(TemplateStoreError) -> StoredWebhook {
        guard webhooks(inProject: webhook.project).count < TemplateStoreLimits.webhooks else {
            throw .tooManyWebhooks(inProject: webhook.project)
        }
        let webhook = webhook.roundedToMilliseconds
        queues.append(WebhookQueue(webhook: webhook, knownVersion: currentVersion))
        return webhook
    }

    /// Removes and returns a webhook; nil when none has this identifier.
    mutating func remove(id: String, inProject project: String) -> StoredWebhook? {
        guard let index = index(ofWebhook: id, inProject: project) else { return nil }
        return queues.remove(at: index).webhook
    }

    /// Removes the webhooks of a project with their deliveries.
    mutating func removeAll(inProject project: String) {
        queues.removeAll { $0.webhook.isOf(project) }
    }

    /// The latest deliveries of a webhook, newest first.
    func deliveries(
        ofWebhook id: String, inProject project: String, limit: Int
    ) -> [WebhookDelivery] {
        guard let index = index(ofWebhook: id, inProject: project) else { return [] }
        return queues[index].entries.reversed().prefix(max(limit, 0)).map(\.delivery)
    }

    /// Adds deliveries for events of a project to the webhooks that want them.
    mutating func enqueue(_ events: [WebhookEvent], inProject project: String, date: Date) {
        for index in queues.indices where queues[index].webhook.isOf(project) {
            queues[index].enqueue(events, date: date)
        }
    }

    /// Claims due deliveries, at most one per webhook, oldest first.
    mutating func claim(date: Date, until end: Date, limit: Int) -> [ClaimedDelivery] {
        let date = date.roundedToMilliseconds
        let order = queues.indices.sorted { left, right in
            queues[left].nextDeliveryDate ?? .distantFuture
                < queues[right].nextDeliveryDate ?? .distantFuture
        }
        var claimed: [ClaimedDelivery] = []
        for index in order {
            guard claimed.count < limit else { break }
            if let delivery = queues[index].claim(as: "", date: date, until: end) {
                claimed.append(delivery)
            }
        }
        return claimed
    }

    /// True while a delivery has the claim with which it was returned.
    func holdsClaim(of claimed: ClaimedDelivery, date: Date) -> Bool {
        queues.contains { $0.holdsClaim(of: claimed, date: date) }
    }

    /// The earliest time at which a delivery can be claimed.
    var nextDeliveryDate: Date? { queues.compactMap(\.nextDeliveryDate).min() }

    /// Applies the result of an attempt if it belongs to the latest claim.
    mutating func finish(_ attempt: DeliveryAttempt) {
        for index in queues.indices where queues[index].finish(attempt) { return }
    }

    private func index(ofWebhook id: String, inProject project: String) -> Int? {
        queues.firstIndex {
            $0.webhook.id.utf8.elementsEqual(id.utf8) && $0.webhook.isOf(project)
        }
    }
}

extension StoredWebhook {
    /// Names of projects are compared by their bytes.
    fileprivate func isOf(_ project: String) -> Bool {
        self.project.utf8.elementsEqual(project.utf8)
    }
}
