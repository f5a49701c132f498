public import Foundation

extension InMemoryTemplateStore {
    /// Stores a new webhook.
    public func addWebhook(_ webhook: StoredWebhook) async throws(TemplateStoreError) {
        try access { contents throws(TemplateStoreError) in try contents.addWebhook(webhook) }
    }

    /// The webhooks of a project, the oldest first.
    public func webhooks(
        inProject project: String
    ) async throws(TemplateStoreError) -> [StoredWebhook] {
        try access { $0.webhooks.webhooks(inProject: project) }
    }

    /// Removes a webhook with its deliveries, and says whether there was one.
    public func removeWebhook(
        id: String, inProject project: String, actor: String, date: Date
    ) async throws(TemplateStoreError) -> Bool {
        try access {
            $0.removeWebhook(id: id, inProject: project, actor: actor, date: date)
        }
    }

    /// The newest deliveries of a webhook, newest first.
    public func deliveries(
        ofWebhook id: String, inProject project: String, limit: Int
    ) async throws(TemplateStoreError) -> [WebhookDelivery] {
        try access { $0.webhooks.deliveries(ofWebhook: id, inProject: project, limit: limit) }
    }

    /// Takes deliveries that are due, so that nobody else sends them.
    public func claimDeliveries(
        date: Date, until end: Date, limit: Int
    ) async throws(TemplateStoreError) -> [ClaimedDelivery] {
        try access { $0.webhooks.claim(date: date, until: end, limit: limit) }
    }

    /// Stores what came of an attempt at a delivery that was claimed.
    public func finish(_ attempt: DeliveryAttempt) async throws(TemplateStoreError) {
        try access { $0.webhooks.finish(attempt) }
    }
}
