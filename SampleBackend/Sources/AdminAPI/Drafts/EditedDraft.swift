import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import TemplateStore
import Templates

/// A stored draft and the template that it began with, in responses.
struct EditedDraft: Sendable {
    let stored: StoredDraft

    /// The edited template.
    let json: JSONNode

    /// The template of the base version; nil when that is no longer kept.
    let base: RemoteConfigTemplate?

    /// `{"baseVersion": "12", "updateTime": "…", "template": {…}, "changes": {…}, "problems": []}`.
    ///
    /// `withTemplate` false leaves out the template, which whoever sent it has.
    func answer(withTemplate: Bool) -> RouteResponse {
        let draft = TemplateDraft(json: json)
        var node: JSONNode = [
            "baseVersion": .string("\(stored.baseVersion)"),
            "updateTime": .string(stored.updateTime.timestamp),
        ]
        if withTemplate { node.setMember("template", json) }
        node.setMember(
            "changes", base.map { TemplateDiff(from: $0, to: draft.template).json } ?? .null)
        node.setMember("problems", .array(draft.problems.map(\.json)))
        return .json(node, headerFields: [.eTag: stored.entityTag])
    }
}

extension StoredDraft {
    /// The value of `ETag`.
    var entityTag: String { "\"\(tag)\"" }
}
