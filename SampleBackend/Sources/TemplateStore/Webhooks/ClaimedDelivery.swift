/// A delivery that one process has taken to send, and all it needs for that.
public struct ClaimedDelivery: Sendable, Hashable {
    /// The delivery; its number of attempts counts the one that begins now.
    public let delivery: WebhookDelivery

    /// The webhook.
    public let webhook: StoredWebhook

    /// The last version that the receiver knows of: the last one delivered, or the one that was
    /// current when the webhook was made.
    public let knownVersion: Int

    /// Makes a claimed delivery.
    public init(delivery: WebhookDelivery, webhook: StoredWebhook, knownVersion: Int) {
        self.delivery = delivery
        self.webhook = webhook
        self.knownVersion = knownVersion
    }
}
