import Foundation
import TemplateStore

/// The drafts of an ``InMemoryTemplateStore``, and the rules for them.
struct InMemoryDrafts {
    /// The drafts by the UTF-8 bytes of the owner and of the project.
    private var drafts: [Data: [Data: StoredDraft]] = [:]

    /// Creates or replaces a draft.
    mutating func save(_ submission: DraftSubmission) throws(TemplateStoreError) -> StoredDraft {
        prune(at: submission.date)
        let owner = Data(submission.owner.utf8)
        let project = Data(submission.project.utf8)
        let others = drafts[owner] ?? [:]
        try submission.expectation.checkDraft(others[project]?.tag, inProject: submission.project)
        if others[project] == nil, others.count >= TemplateStoreLimits.drafts {
            let projects = others.values.map(\.project)
            throw .tooManyDrafts(inProjects: projects.sorted())
        }
        let stored = submission.stored()
        drafts[owner, default: [:]][project] = stored
        return stored
    }

    /// The draft of an administrator; nil when there is none or it has expired.
    func draft(ofOwner owner: String, inProject project: String, date: Date) -> StoredDraft? {
        guard let draft = drafts[Data(owner.utf8)]?[Data(project.utf8)] else { return nil }
        return Self.isExpired(draft, at: date) ? nil : draft
    }

    /// Removes a draft; false when there is none.
    mutating func remove(
        ofOwner owner: String, inProject project: String,
        expecting expectation: StateExpectation, date: Date
    ) throws(TemplateStoreError) -> Bool {
        prune(at: date)
        guard let draft = drafts[Data(owner.utf8)]?[Data(project.utf8)] else { return false }
        try expectation.checkDraft(draft.tag, inProject: project)
        drafts[Data(owner.utf8)]?[Data(project.utf8)] = nil
        return true
    }

    private mutating func prune(at date: Date) {
        drafts = drafts.mapValues { drafts in
            drafts.filter { !Self.isExpired($0.value, at: date) }
        }.filter { !$0.value.isEmpty }
    }

    private static func isExpired(_ draft: StoredDraft, at date: Date) -> Bool {
        draft.updateTime + TemplateStoreLimits.draftLifetime <= date.roundedToMilliseconds
    }
}
