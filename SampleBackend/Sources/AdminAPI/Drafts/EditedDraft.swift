import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import TemplateStore
import Templates

/// A stored draft and the template on which it is based, for responses.
struct EditedDraft: Sendable {
    let stored: StoredDraft

    /// The edited template.
    let json: JSONNode

    /// The template of the base version; nil when that is no longer stored.
    let base: RemoteConfigTemplate?

    /// The maximum bytes of `changes` and of `problems`: enough for any publishable template.
    private static let maximumListBytes = 8 << 20

    /// `{"baseVersion": "12", "updateTime": "…", "template": {…}, "changes": {…}, "problems": []}`.
    ///
    /// `withTemplate` is false for answers to the sender, who has the template. The answer has less
    /// than `maximumBytes`, since it must not be refused after the draft is stored.
    func answer(withTemplate: Bool, maximumBytes: Int) -> RouteResponse {
        let draft = TemplateDraft(json: json)
        let templateBytes = withTemplate ? stored.content.count : 0
        let room = maximumBytes - templateBytes - Administration.draftFieldBytes
        let listBytes = min(Self.maximumListBytes, max(0, room / 3))
        var node: JSONNode = [
            "baseVersion": .string("\(stored.baseVersion)"),
            "updateTime": .string(stored.updateTime.timestamp),
        ]
        if withTemplate { node.setMember("template", json) }
        let changes = base.map { base in
            TemplateDiff(from: base, to: draft.template)
                .json(maximumBytes: listBytes, unreadCount: draft.unreadCount)
        }
        node.setMember("changes", changes ?? .null)
        node.setMember("problems", .array(draft.problems.listed(bytes: listBytes)))
        return .json(node, headerFields: [.eTag: stored.entityTag])
    }
}

extension [TemplateProblem] {
    /// The first problems as JSON, in total at most `bytes` long, followed by one that counts the
    /// omitted ones.
    fileprivate func listed(bytes: Int) -> [JSONNode] {
        var remaining = bytes
        let listed = map(\.json).prefix { node in
            remaining -= node.jsonData().count + 1
            return remaining >= 0
        }
        guard listed.count < count else { return [JSONNode](listed) }
        return listed + [TemplateProblem.omitted(count - listed.count).json]
    }
}

extension StoredDraft {
    /// The value of `ETag`.
    var entityTag: String { "\"\(tag)\"" }
}
