import Foundation
import HTTPServing
import TemplateStore
import WebhookDelivery

extension StoredWebhook {
    /// A new webhook with a random identifier and a secret of 256 random bits.
    init(address: WebhookAddress, project: String, creator: String, date: Date) {
        self.init(
            id: Data.random(bytes: 6).hexadecimal, project: project, url: address.text,
            secret: "whsec_" + Data.random(bytes: 32).base64URL, creationDate: date,
            creator: creator)
    }
}
