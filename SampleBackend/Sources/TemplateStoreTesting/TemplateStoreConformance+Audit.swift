import Foundation
import TemplateStore
import Templates

extension TemplateStoreConformance {
    /// The checks of ``AuditStoring``.
    public static var auditChecks: [Check] {
        [
            Check("eachActionHasAnEntry", Self.eachActionHasAnEntry),
            Check("auditEntriesComeByPage", Self.auditEntriesComeByPage),
            Check("auditEntriesComeByAction", Self.auditEntriesComeByAction),
            Check("auditPagesAreLimited", Self.auditPagesAreLimited),
            Check("auditSearchesAreLimited", Self.auditSearchesAreLimited),
        ]
    }

    /// Each action has an entry with its actor, action, subject and time, newest first.
    public func eachActionHasAnEntry() async throws {
        try await onNewStore { trial in
            let project = StoreTrial.project
            let date = StoreTrial.date
            var submission = StoreTrial.submission()
            submission.description = "the first"
            _ = try await trial.store.publish(submission)
            try await trial.publish()
            _ = try await trial.store.rollBack(
                to: 1, inProject: project, user: TemplateVersion.User(name: "operator"),
                description: "too many errors", date: date + 1)
            var undo = StoreTrial.submission()
            (undo.updateType, undo.sourceVersion) = (.undo, 2)
            _ = try await trial.store.publish(undo)
            try await trial.pin("{}", forUserID: "a\0é")
            try await trial.pin(nil, forUserID: "a\0é")
            try await trial.store.addToken(StoreTrial.token("t"), actor: "root")
            _ = try await trial.store.revokeToken(id: "id of t", actor: "root", date: date + 2)
            try await trial.publish(inProject: "other")
            let revisions = try await trial.next(9, of: trial.store.changes(since: .zero))
                .map(\.revision)
            typealias Line = (String?, Date, String, AuditEntry.Action, String, String?)
            let lines: [Line] = [
                (project, date, "publisher", .publish, "1", "the first"),
                (project, date, "publisher", .publish, "2", nil),
                (project, date + 1, "operator", .rollback, "3", "version 1 again: too many errors"),
                (project, date, "publisher", .undo, "4", "version 2 undone"),
                (project, date, "supporter", .setOverrides, "a\0é", nil),
                (project, date, "supporter", .removeOverrides, "a\0é", nil),
                (nil, date, "root", .createToken, "t", "editor"),
                (nil, date + 2, "root", .revokeToken, "t", nil),
            ]
            let expected = zip(lines, revisions).map { line, revision in
                AuditEntry(
                    revision: revision, project: line.0, date: line.1, actor: line.2,
                    action: line.3, subject: line.4, detail: line.5)
            }
            let entries = try await trial.reopen().auditEntries(
                inProject: project, matching: AuditQuery())
            try trial.expect(
                entries, is: expected.reversed(), "Each action has its entry, newest first.")
            let others = try await trial.store.auditEntries(
                inProject: "other", matching: AuditQuery())
            try trial.expect(
                others.map(\.action), is: [.publish, .revokeToken, .createToken],
                "A project's trail has its own entries and those of the whole server.")
        }
    }

    /// The audit trail can be read page by page.
    public func auditEntriesComeByPage() async throws {
        try await onNewStore { trial in
            for number in 1...25 { try await trial.publish("\(number)") }
            for limit in [1, 7, 25, 1_000] {
                var query = AuditQuery(limit: limit)
                var found: [String] = []
                for _ in 0...25 {
                    let entries = try await trial.store.auditEntries(
                        inProject: StoreTrial.project, matching: query)
                    try trial.expect(
                        entries.count <= limit, "A page has at most the requested number.",
                        found: "\(entries.count) instead of \(limit).")
                    found += entries.map(\.subject)
                    guard let last = entries.last else { break }
                    query.before = last.revision
                }
                try trial.expect(
                    found, is: (1...25).reversed().map { "\($0)" },
                    "The pages have all entries once, newest first.")
            }
        }
    }

    /// A search that stops among the entries of another project can be continued to the end.
    public func auditSearchesAreLimited() async throws {
        try await onNewStore { trial in
            try await trial.publish(inProject: "quiet")
            for number in 1...25 { try await trial.publish("\(number)") }
            try await trial.publish(inProject: "quiet")
            for limit in [1, 2, 1_000] {
                var query = AuditQuery(limit: limit)
                var found: [String] = []
                for _ in 0...27 {
                    let page = try await trial.store.auditPage(
                        inProject: "quiet", matching: query, searching: 4)
                    try trial.expect(
                        page.searchedCount <= 4 && page.entries.count <= limit,
                        "A search ends after the given number of entries.",
                        found: "\(page.entries.count) of \(page.searchedCount) entries.")
                    found += page.entries.map(\.subject)
                    query.before = page.next
                    if page.next == nil { break }
                }
                try trial.expect(
                    found, is: ["2", "1"], "The pages have all entries once, newest first.")
                try trial.expect(query.before, is: nil, "The last page says that it is the last.")
            }
        }
    }

    /// A page for some actions is full, no matter how many other entries lie between.
    public func auditEntriesComeByAction() async throws {
        try await onNewStore { trial in
            for number in 1...5 {
                try await trial.publish("\(number)")
                try await trial.pin("{}", forUserID: "\(number)")
                try await trial.store.addSession(StoreTrial.session("\(number)"), actor: "root")
                try await trial.publish(inProject: "other")
            }
            let rows: [(actions: Set<AuditEntry.Action>, subjects: [String])] = [
                ([.setOverrides], ["5", "4", "3"]),
                ([.setOverrides, .publish], ["5", "5", "4"]),
                ([.createToken], ["5", "4", "3"]),
                ([.setOverrides, .createToken], ["5", "5", "4"]),
                ([.rollback], []), ([], []),
            ]
            for (actions, subjects) in rows {
                var query = AuditQuery(limit: 2, actions: actions)
                var found = try await trial.store.auditEntries(
                    inProject: StoreTrial.project, matching: query)
                if let last = found.last {
                    query = AuditQuery(limit: 1, before: last.revision, actions: actions)
                    found += try await trial.store.auditEntries(
                        inProject: StoreTrial.project, matching: query)
                }
                try trial.expect(
                    found.map(\.subject), is: subjects,
                    "A page has only entries of the requested actions.")
            }
        }
    }

    /// A page has 1 to ``TemplateStoreLimits/auditPage`` entries, whatever the request.
    public func auditPagesAreLimited() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let maximum = TemplateStoreLimits.auditPage
            for _ in 0..<maximum { try await trial.pin("{}", forUserID: "1") }
            let limits = [
                (Int.min, 1), (-1, 1), (0, 1), (1, 1), (maximum, maximum), (maximum + 1, maximum),
                (.max, maximum),
            ]
            for (limit, expected) in limits {
                let entries = try await trial.store.auditEntries(
                    inProject: StoreTrial.project, matching: AuditQuery(limit: limit))
                try trial.expect(
                    entries.count, is: expected,
                    "A page of \(limit) is limited to 1 to \(maximum) entries.")
            }
        }
    }
}
