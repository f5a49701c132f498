import Foundation
import TemplateStore

/// The pinned values of a user: a short text inline, or a reference to a long one.
struct OverridesRecord: EtcdRecord {
    var text: Data?
    var reference: ContentReference?
    let tag: String

    var isInRange: Bool { reference?.isInRange ?? true }
}

struct DraftRecord: EtcdRecord {
    let owner: String
    let project: String
    let baseVersion: Int
    let tag: String
    let updateTime: RecordDate
    let content: ContentReference
    /// The time at which the draft was marked as expired.
    var expiryNotice: RecordDate?

    init(_ draft: StoredDraft, content: ContentReference) {
        owner = draft.owner
        project = draft.project
        baseVersion = draft.baseVersion
        tag = draft.tag
        updateTime = RecordDate(draft.updateTime)
        self.content = content
    }

    var isInRange: Bool { content.isInRange }

    func draft(content: Data) -> StoredDraft {
        StoredDraft(
            owner: owner, project: project, baseVersion: baseVersion, content: content, tag: tag,
            updateTime: updateTime.date)
    }
}
