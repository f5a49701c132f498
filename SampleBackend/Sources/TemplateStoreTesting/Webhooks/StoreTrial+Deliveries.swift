import Foundation
import TemplateStore
import Templates

extension StoreTrial {
    /// Publishes a first version, and adds webhooks to its project.
    func addWebhooks(_ names: String...) async throws {
        try await publish()
        for name in names { try await store.addWebhook(Self.webhook(name)) }
    }

    /// The deliveries of a webhook, newest first.
    func deliveries(of name: String) async throws -> [WebhookDelivery] {
        try await reopen().deliveries(
            ofWebhook: "id of \(name)", inProject: Self.project, limit: 1_000)
    }

    /// Takes what is due so many seconds after the first publish, for 30 seconds.
    func claim(
        at seconds: TimeInterval = 0, limit: Int = 1_000, in other: (any TemplateStore)? = nil
    ) async throws -> [ClaimedDelivery] {
        let date = Self.date + seconds
        return try await (other ?? store).claimDeliveries(
            date: date, until: date + 30, limit: limit)
    }

    /// Says what came of an attempt so many seconds after the first publish.
    func finish(
        _ claimed: ClaimedDelivery, _ outcome: DeliveryAttempt.Outcome, statusCode: Int? = nil,
        error: String? = nil, at seconds: TimeInterval = 0
    ) async throws {
        try await store.finish(
            DeliveryAttempt(
                deliveryID: claimed.delivery.id, number: claimed.delivery.attempts,
                outcome: outcome, statusCode: statusCode, error: error, date: Self.date + seconds))
    }

    /// The one that was taken.
    func only(_ claimed: [ClaimedDelivery]) throws -> ClaimedDelivery {
        guard let first = claimed.first, claimed.count == 1 else {
            throw TemplateStoreConformanceFailure(
                rule: "One delivery is due.", finding: "\(claimed.count) are.")
        }
        return first
    }
}
