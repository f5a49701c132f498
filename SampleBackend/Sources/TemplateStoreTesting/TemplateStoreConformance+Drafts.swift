import Foundation
import TemplateStore

extension TemplateStoreConformance {
    /// The checks of ``DraftStoring``.
    public static var draftChecks: [Check] {
        [
            Check("draftsBelongToOneOwnerAndProject", Self.draftsBelongToOneOwnerAndProject),
            Check("aDraftReplacesTheExpectedOneOnly", Self.aDraftReplacesTheExpectedOneOnly),
            Check("oneOfManyConcurrentDraftsIsStored", Self.oneOfManyConcurrentDraftsIsStored),
            Check("draftsOfAnOwnerAreLimited", Self.draftsOfAnOwnerAreLimited),
            Check("draftsExpire", Self.draftsExpire),
            Check("aClockAheadRemovesNoDraft", Self.aClockAheadRemovesNoDraft),
            Check("draftsAreNoChangeToFollow", Self.draftsAreNoChangeToFollow),
        ]
    }

    /// Another administrator's draft is never returned, however similar the names are.
    public func draftsBelongToOneOwnerAndProject() async throws {
        try await onNewStore { trial in
            let owners = [
                "", "a", "a\0", "A", "é", "e\u{301}", "a b", String(repeating: "x", count: 9_999),
            ]
            for (index, owner) in owners.enumerated() {
                try await trial.saveDraft("\(index)", of: owner)
                try await trial.saveDraft("other \(index)", of: owner, inProject: "other")
            }
            let other = try await trial.reopen()
            let rule = "A draft belongs to one owner and project."
            for (index, owner) in owners.enumerated() {
                for (project, text) in [
                    (StoreTrial.project, "\(index)"), ("other", "other \(index)"),
                ] {
                    let found = try await other.draft(
                        ofOwner: owner, inProject: project, date: StoreTrial.date)
                    try trial.expect(StoreTrial.text(found?.content), is: text, rule)
                }
            }
            let removed = try await other.removeDraft(
                ofOwner: "é", inProject: StoreTrial.project, expecting: .any, date: StoreTrial.date)
            try trial.expect(removed, is: true, "A draft is removed.")
            let again = try await other.removeDraft(
                ofOwner: "é", inProject: StoreTrial.project, expecting: .any, date: StoreTrial.date)
            try trial.expect(again, is: false, "A draft is removed once.")
            for (owner, text) in [("é", nil), ("e\u{301}", "5")] {
                let found = try await trial.store.draft(
                    ofOwner: owner, inProject: StoreTrial.project, date: StoreTrial.date)
                try trial.expect(
                    StoreTrial.text(found?.content), is: text, "One draft is removed, not others.")
            }
        }
    }

    /// A draft that changed in the meantime is not overwritten.
    public func aDraftReplacesTheExpectedOneOnly() async throws {
        try await onNewStore { trial in
            let rule = "A draft replaces the expected one only."
            for expectation in [StateExpectation.present, .tag("x")] {
                try await trial.expectError(.draftMismatch, rule) { () throws(TemplateStoreError) in
                    try await trial.saveDraft("a", expecting: expectation)
                }
            }
            let first = try await trial.saveDraft("a", base: 7, expecting: .absent)
            try trial.expect(first.baseVersion, is: 7, "A draft keeps its base version.")
            try trial.expect(first.updateTime, is: StoreTrial.date, "A draft keeps its time.")
            let stored = try await trial.reopen().draft(
                ofOwner: "ada", inProject: StoreTrial.project, date: StoreTrial.date)
            try trial.expect(stored, is: first, "A draft is read as it was stored.")
            let second = try await trial.saveDraft("b", expecting: .tag(first.tag))
            try trial.expect(
                second.tag != first.tag, "Each state has its own tag.", found: second.tag)
            for expectation in [StateExpectation.absent, .tag(first.tag)] {
                try await trial.expectError(.draftMismatch, rule) { () throws(TemplateStoreError) in
                    try await trial.saveDraft("c", expecting: expectation)
                }
                try await trial.expectError(.draftMismatch, rule) { () throws(TemplateStoreError) in
                    _ = try await trial.store.removeDraft(
                        ofOwner: "ada", inProject: StoreTrial.project, expecting: expectation,
                        date: StoreTrial.date)
                }
            }
            let kept = try await trial.store.draft(
                ofOwner: "ada", inProject: StoreTrial.project, date: StoreTrial.date)
            try trial.expect(kept, is: second, rule)
            let third = try await trial.saveDraft("", expecting: .present)
            try trial.expect(third.content, is: Data(), "A draft can be empty text.")
        }
    }

    /// Of concurrent saves over the same draft, exactly one succeeds.
    public func oneOfManyConcurrentDraftsIsStored() async throws {
        try await onNewStore { trial in
            let first = try await trial.saveDraft("first")
            let rule = "One of many concurrent drafts is stored."
            let saved = try await trial.onlyOneSucceeds(rule, elseFailing: .draftMismatch) {
                store, number throws(TemplateStoreError) in
                try await store.saveDraft(
                    StoreTrial.draft("\(number)", expecting: .tag(first.tag)))
            }
            let found = try await trial.store.draft(
                ofOwner: "ada", inProject: StoreTrial.project, date: StoreTrial.date)
            try trial.expect(found, is: saved, rule)
        }
    }

    /// The number of drafts of one administrator is limited.
    public func draftsOfAnOwnerAreLimited() async throws {
        try await onNewStore { trial in
            for number in 0..<TemplateStoreLimits.drafts {
                try await trial.saveDraft("{}", inProject: "p\(number)")
            }
            let rule = "An owner has at most \(TemplateStoreLimits.drafts) drafts."
            let error = try await trial.expectError(.tooManyDrafts, rule) {
                () throws(TemplateStoreError) in
                try await trial.saveDraft("{}", inProject: "more")
            }
            try trial.expect(
                error.message.contains("p0"), "The error names the projects.", found: error.message)
            try await trial.saveDraft("{}", of: "bob", inProject: "more")
            try await trial.saveDraft("new", inProject: "p0")
            _ = try await trial.store.removeDraft(
                ofOwner: "ada", inProject: "p0", expecting: .any, date: StoreTrial.date)
            try await trial.saveDraft("{}", inProject: "more")
        }
    }

    /// A draft expires after its last change, and no longer counts.
    public func draftsExpire() async throws {
        try await onNewStore { trial in
            let lifetime = TemplateStoreLimits.draftLifetime
            let draft = try await trial.saveDraft("old")
            let rule = "A draft expires \(lifetime) s after its last change."
            for (seconds, expected) in [(lifetime - 0.001, draft), (lifetime, nil)] {
                let found = try await trial.store.draft(
                    ofOwner: "ada", inProject: StoreTrial.project, date: StoreTrial.date + seconds)
                try trial.expect(found, is: expected, rule)
            }
            let isRemoved = try await trial.store.removeDraft(
                ofOwner: "ada", inProject: StoreTrial.project, expecting: .any,
                date: StoreTrial.date + lifetime)
            try trial.expect(isRemoved, is: false, rule)
            for number in 0..<TemplateStoreLimits.drafts {
                try await trial.saveDraft("{}", of: "bob", inProject: "p\(number)")
            }
            for project in ["p0", "more"] {
                try await trial.saveDraft(
                    "{}", of: "bob", inProject: project, expecting: .absent,
                    date: StoreTrial.date + lifetime)
            }
        }
    }

    /// A clock that is ahead temporarily hides drafts but removes none; a clock that stays ahead
    /// removes them.
    public func aClockAheadRemovesNoDraft() async throws {
        try await onNewStore { trial in
            let draft = try await trial.saveDraft("kept")
            let ahead = StoreTrial.date + 365 * 86_400
            for second in 0..<3 {
                try await trial.saveDraft("bob's", of: "bob", date: ahead + Double(second))
                _ = try await trial.store.removeDraft(
                    ofOwner: "ada", inProject: StoreTrial.project, expecting: .any,
                    date: ahead + Double(second))
            }
            func found(_ date: Date) async throws -> StoredDraft? {
                try await trial.reopen().draft(
                    ofOwner: "ada", inProject: StoreTrial.project, date: date)
            }
            try trial.expect(
                try await found(ahead), is: nil, "An expired draft is hidden.")
            let rule = "A clock ahead removes no draft."
            try trial.expect(try await found(StoreTrial.date + 1), is: draft, rule)
            // The clock is right again, then ahead once more.
            try await trial.saveDraft("bob's", of: "bob", date: StoreTrial.date + 2)
            try await trial.saveDraft("bob's", of: "bob", date: ahead + 30 * 86_400)
            try trial.expect(try await found(StoreTrial.date + 3), is: draft, rule)
            // The clock stays ahead.
            for day in 31...45 {
                try await trial.saveDraft("bob's", of: "bob", date: ahead + Double(day) * 86_400)
            }
            try trial.expect(
                try await found(StoreTrial.date + 3), is: nil,
                "A draft that stays expired is removed.")
        }
    }

    /// Drafts are not in the audit trail or the change feed.
    public func draftsAreNoChangeToFollow() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let before = try await trial.store.snapshot()
            try await trial.saveDraft("{}")
            _ = try await trial.store.removeDraft(
                ofOwner: "ada", inProject: StoreTrial.project, expecting: .any,
                date: StoreTrial.date)
            try trial.expect(
                try await trial.store.snapshot(), is: before, "A draft is not in the change feed.")
            let entries = try await trial.store.auditEntries(
                inProject: StoreTrial.project, matching: AuditQuery())
            try trial.expect(entries.count, is: 1, "A draft is not in the audit trail.")
        }
    }
}

extension StoreTrial {
    static func draft(
        _ content: String, of owner: String = "ada", inProject project: String = project,
        base: Int = 0, expecting expectation: StateExpectation = .any,
        date: Date = date
    ) -> DraftSubmission {
        DraftSubmission(
            owner: owner, project: project, baseVersion: base, content: Data(content.utf8),
            expectation: expectation, date: date)
    }

    @discardableResult
    fileprivate func saveDraft(
        _ content: String, of owner: String = "ada", inProject project: String = project,
        base: Int = 0, expecting expectation: StateExpectation = .any,
        date: Date = date
    ) async throws(TemplateStoreError) -> StoredDraft {
        try await store.saveDraft(
            Self.draft(
                content, of: owner, inProject: project, base: base, expecting: expectation,
                date: date))
    }
}
