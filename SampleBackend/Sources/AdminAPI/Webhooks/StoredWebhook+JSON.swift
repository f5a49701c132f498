import Foundation
import HTTPServing
package import JSONTree
import TemplateStore
import Templates

extension StoredWebhook {
    /// The webhook in responses, without its secret and the values in its query.
    package var json: JSONNode {
        [
            "id": .string(id), "url": .string(shownURL), "creator": .string(creator),
            "creationTime": .string(creationDate.timestamp),
        ]
    }
}

extension WebhookDelivery {
    /// The delivery in responses.
    package var json: JSONNode {
        var node: JSONNode = [
            "id": .string(id), "versionNumber": .string("\(version)"),
            "updateType": .string(updateType.rawValue), "state": .string(state.rawValue),
            "attempts": .number("\(attempts)"),
        ]
        node.setMember("statusCode", statusCode.map { .number("\($0)") })
        node.setMember("error", error.map { .string($0) })
        node.setMember("creationTime", .string(creationDate.timestamp))
        node.setMember("nextAttemptTime", nextAttemptDate.map { .string($0.timestamp) })
        node.setMember("finishTime", finishDate.map { .string($0.timestamp) })
        return node
    }
}
