import Crypto
import Foundation
import HTTPServing
import JSONTree
import TemplateStore
import Templates

/// The request sent to a webhook: the body and its signed header fields (API 3).
struct DeliveryMessage: Sendable {
    let body: Data

    /// Header fields in the order of sending.
    let fields: [(name: String, value: String)]

    /// Builds and signs the request; `date` is the time at which it is sent.
    ///
    /// `changedSections` are the sections that may differ from what the receiver has.
    init(_ claimed: ClaimedDelivery, changedSections: [String], date: Date) {
        let delivery = claimed.delivery
        let node: JSONNode = [
            "CONFIG_STATE": "STALE", "project": .string(claimed.webhook.project),
            "versionNumber": .string("\(delivery.version)"),
            "updateType": .string(delivery.updateType.rawValue),
            "changedSections": .array(changedSections.map { .string($0) }),
            "deliveryID": .string(delivery.id),
            "updateTime": .string(delivery.creationDate.timestamp),
        ]
        body = node.jsonData()
        let timestamp = Int64(date.timeIntervalSince1970)
        fields = [
            ("Content-Type", "application/json"), ("User-Agent", "ActiveConfig-Webhooks/1"),
            ("ActiveConfig-Delivery", delivery.id), ("ActiveConfig-Timestamp", "\(timestamp)"),
            (
                "ActiveConfig-Signature",
                Self.signature(of: body, timestamp: timestamp, secret: claimed.webhook.secret)
            ),
        ]
    }

    /// The signature of a body: `v1=` followed by the hexadecimal HMAC-SHA256 of `timestamp.body`.
    static func signature(of body: Data, timestamp: Int64, secret: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("\(timestamp).".utf8) + body,
            using: SymmetricKey(data: Data(secret.utf8)))
        return "v1=" + Data(code).hexadecimal
    }
}
