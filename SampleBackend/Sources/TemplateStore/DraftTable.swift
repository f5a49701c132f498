package import Foundation

/// Drafts and their rules, for engines that keep drafts as values.
package struct DraftTable: Sendable {
    /// A draft, and the time at which it was marked as expired.
    package struct Entry: Sendable, Hashable {
        package let draft: StoredDraft
        /// Nil unless the draft is marked as expired.
        package var expiryNoticeDate: Date?

        package init(draft: StoredDraft, expiryNoticeDate: Date? = nil) {
            self.draft = draft
            self.expiryNoticeDate = expiryNoticeDate
        }

        func isExpired(at date: Date) -> Bool {
            ExpiryRule.drafts.isExpired(draft.updateTime, at: date)
        }
    }

    /// The drafts by the UTF-8 bytes of the owner and the project.
    private var entries: [Data: [Data: Entry]] = [:]

    /// All drafts, in any order.
    package var all: [Entry] { entries.values.flatMap(\.values) }

    package init(_ entries: [Entry] = []) {
        for entry in entries { add(entry) }
    }

    /// Adds a draft unchanged; replaces the draft of the same owner and project.
    package mutating func add(_ entry: Entry) {
        entries[Data(entry.draft.owner.utf8), default: [:]][Data(entry.draft.project.utf8)] = entry
    }

    /// Removes the drafts of all owners in a project.
    package mutating func removeAll(inProject project: String) {
        for owner in entries.keys { entries[owner]?[Data(project.utf8)] = nil }
    }

    /// Creates or replaces a draft.
    package mutating func save(_ submission: DraftSubmission) throws(TemplateStoreError)
        -> StoredDraft
    {
        prune(at: submission.date)
        let known = draft(
            ofOwner: submission.owner, inProject: submission.project, date: submission.date)
        try submission.expectation.checkDraft(known?.tag, inProject: submission.project)
        let owner = Data(submission.owner.utf8)
        if known == nil {
            let projects = (entries[owner] ?? [:]).values
                .filter { !$0.isExpired(at: submission.date) }.map(\.draft.project)
            if projects.count >= TemplateStoreLimits.drafts {
                throw .tooManyDrafts(inProjects: projects.sorted())
            }
        }
        let stored = submission.stored()
        entries[owner, default: [:]][Data(submission.project.utf8)] = Entry(draft: stored)
        return stored
    }

    /// The draft of an administrator; nil when there is none or it has expired.
    package func draft(ofOwner owner: String, inProject project: String, date: Date) -> StoredDraft?
    {
        guard let entry = entries[Data(owner.utf8)]?[Data(project.utf8)] else { return nil }
        return entry.isExpired(at: date) ? nil : entry.draft
    }

    /// Removes a draft; false when there is none.
    package mutating func remove(
        ofOwner owner: String, inProject project: String,
        expecting expectation: StateExpectation, date: Date
    ) throws(TemplateStoreError) -> Bool {
        prune(at: date)
        guard let draft = draft(ofOwner: owner, inProject: project, date: date) else {
            return false
        }
        try expectation.checkDraft(draft.tag, inProject: project)
        entries[Data(owner.utf8)]?[Data(project.utf8)] = nil
        return true
    }

    /// Marks expired drafts, and removes those whose mark is old enough.
    private mutating func prune(at date: Date) {
        entries = entries.mapValues { entries in
            entries.compactMapValues { entry in
                var entry = entry
                entry.expiryNoticeDate = ExpiryRule.drafts.notice(
                    after: entry.expiryNoticeDate, entry.draft.updateTime, at: date)
                return ExpiryRule.drafts.isOver(entry.expiryNoticeDate, at: date) ? nil : entry
            }
        }.filter { !$0.value.isEmpty }
    }
}
