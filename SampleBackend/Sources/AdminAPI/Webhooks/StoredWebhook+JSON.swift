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
            "events": .array(
                WebhookEvent.Topic.allCases.filter(topics.contains)
                    .map { .string($0.rawValue) }),
        ]
    }
}

extension WebhookDelivery {
    /// The delivery in responses.
    package var json: JSONNode {
        var node: JSONNode = [
            "id": .string(id), "event": .string(event.topic.rawValue),
            "state": .string(state.rawValue), "attempts": .number("\(attempts)"),
        ]
        switch event {
        case .publish(let version, let updateType):
            node.setMember("versionNumber", .string("\(version)"))
            node.setMember("updateType", .string(updateType.rawValue))
        case .changeRequest(let step):
            node.setMember("changeRequest", .string(step.requestID))
            node.setMember("step", .string(step.kind.rawValue))
        }
        node.setMember("statusCode", statusCode.map { .number("\($0)") })
        node.setMember("error", error.map { .string($0) })
        node.setMember("creationTime", .string(creationDate.timestamp))
        node.setMember("nextAttemptTime", nextAttemptDate.map { .string($0.timestamp) })
        node.setMember("finishTime", finishDate.map { .string($0.timestamp) })
        return node
    }
}
