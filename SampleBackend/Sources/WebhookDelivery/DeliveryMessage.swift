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

    /// Builds and signs the request.
    ///
    /// - Parameters:
    ///   - claimed: The delivery.
    ///   - changedSections: For a version, the sections that may differ from what the receiver has.
    ///   - consoleOrigin: The address at which browsers reach the console, without a path; nil when
    ///     it is unknown.
    ///   - date: The time at which it is sent.
    init(
        _ claimed: ClaimedDelivery, changedSections: [String], consoleOrigin: String? = nil,
        date: Date
    ) {
        let delivery = claimed.delivery
        let node: JSONNode =
            switch delivery.event {
            case .publish(let version, let updateType):
                [
                    "CONFIG_STATE": "STALE", "project": .string(claimed.webhook.project),
                    "versionNumber": .string("\(version)"),
                    "updateType": .string(updateType.rawValue),
                    "changedSections": .array(changedSections.map { .string($0) }),
                    "deliveryID": .string(delivery.id),
                    "updateTime": .string(delivery.creationDate.timestamp),
                ]
            case .changeRequest(let step):
                step.message(of: claimed, consoleOrigin: consoleOrigin)
            }
        self.init(node, id: delivery.id, secret: claimed.webhook.secret, date: date)
    }

    /// Builds and signs a request with any body.
    init(_ node: JSONNode, id: String, secret: String, date: Date) {
        body = node.jsonData()
        let timestamp = Int64(date.timeIntervalSince1970)
        fields = [
            ("Content-Type", "application/json"), ("User-Agent", "ActiveConfig-Webhooks/1"),
            ("ActiveConfig-Delivery", id), ("ActiveConfig-Timestamp", "\(timestamp)"),
            (
                "ActiveConfig-Signature",
                Self.signature(of: body, timestamp: timestamp, secret: secret)
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

extension ChangeRequestStep {
    /// The body of a delivery.
    fileprivate func message(of claimed: ClaimedDelivery, consoleOrigin: String?) -> JSONNode {
        let project = claimed.webhook.project
        var request: JSONNode = [
            "id": .string(requestID), "title": .string(title), "author": author.message,
            "approvers": .array(approvers.map { .string($0) }),
        ]
        let link = consoleOrigin.map { origin in
            "\(origin)/console/#/\(project.queryEncoded)/change-request"
                + "?id=\(requestID.queryEncoded)"
        }
        request.setMember("url", link.map { .string($0) })
        var node: JSONNode = [
            "event": .string(WebhookEvent.Topic.changeRequest.rawValue),
            "step": .string(kind.rawValue), "project": .string(project),
            "changeRequest": request,
        ]
        node.setMember("actor", actor?.message)
        node.setMember("clearedApprovals", clearedApprovals.map { .number("\($0)") })
        node.setMember("missingApprovals", missingApprovals.map { .number("\($0)") })
        if let rejections, !rejections.isEmpty {
            node.setMember("changesRequestedBy", .array(rejections.map { .string($0) }))
        }
        node.setMember("versionBefore", versionBefore.map { .string("\($0)") })
        node.setMember("versionAfter", versionAfter.map { .string("\($0)") })
        node.setMember("bypassReason", bypassReason.map { .string($0) })
        node.setMember(
            "scheduledTimes", scheduledTimes.map { .array($0.map { .string($0) }) })
        node.setMember("failure", failure.map { .string($0) })
        node.setMember("percent", percent.map { .number("\($0)") })
        node.setMember("deliveryID", .string(claimed.delivery.id))
        node.setMember("time", .string(claimed.delivery.creationDate.timestamp))
        return node
    }
}

extension ChangeRequest.Participant {
    fileprivate var message: JSONNode {
        var node: JSONNode = ["actor": .string(actor)]
        node.setMember("person", person.map { .string($0) })
        return node
    }
}

extension String {
    /// The text for a query or a part of a path.
    fileprivate var queryEncoded: String {
        let plain = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }
}
