public import Foundation
import GRDB
public import TemplateStore

extension SQLiteTemplateStore {
    /// Creates or replaces a draft if the stored one is as expected.
    public func saveDraft(
        _ submission: DraftSubmission
    ) async throws(TemplateStoreError) -> StoredDraft {
        try await write(size: submission.content.count) { db in
            try db.checkIsNotArchived(submission.project)
            try db.pruneDrafts(at: submission.date)
            let tag = try db.tag(
                ofDraftOf: submission.owner, inProject: submission.project, at: submission.date)
            try submission.expectation.checkDraft(tag, inProject: submission.project)
            if tag == nil {
                let projects = try db.projects(
                    withDraftsOf: submission.owner, at: submission.date)
                if projects.count >= TemplateStoreLimits.drafts {
                    throw TemplateStoreError.tooManyDrafts(inProjects: projects)
                }
            }
            let draft = submission.stored()
            try db.upsert(draft)
            return draft
        }
    }

    /// The draft of an administrator in a project; nil when there is none or it has expired.
    public func draft(
        ofOwner owner: String, inProject project: String, date: Date
    ) async throws(TemplateStoreError) -> StoredDraft? {
        try await read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT base_version, tag, update_time, content FROM drafts
                    WHERE owner = CAST(? AS BLOB) AND project = CAST(? AS BLOB)
                        AND update_time > ?
                    """,
                arguments: [SQLiteBytes(owner), SQLiteBytes(project), Database.expiry(at: date)])
            return try row.map { row in
                StoredDraft(
                    owner: owner, project: project, baseVersion: try row.decode(atIndex: 0),
                    content: try row.decode(Data.self, atIndex: 3),
                    tag: try row.decode(SQLiteBytes.self, atIndex: 1).text,
                    updateTime: Date(
                        millisecondsSince1970: try row.decode(Int64.self, atIndex: 2)))
            }
        }
    }

    /// Removes a draft; false when there is none.
    public func removeDraft(
        ofOwner owner: String, inProject project: String,
        expecting expectation: StateExpectation, date: Date
    ) async throws(TemplateStoreError) -> Bool {
        try await write { db in
            try db.pruneDrafts(at: date)
            guard let tag = try db.tag(ofDraftOf: owner, inProject: project, at: date) else {
                return false
            }
            try expectation.checkDraft(tag, inProject: project)
            try db.execute(
                sql: """
                    DELETE FROM drafts
                    WHERE owner = CAST(? AS BLOB) AND project = CAST(? AS BLOB)
                    """, arguments: [SQLiteBytes(owner), SQLiteBytes(project)])
            return true
        }
    }
}

extension Database {
    /// Drafts whose last change is not after this time have expired.
    fileprivate static func expiry(at date: Date) -> Int64 {
        (date - TemplateStoreLimits.draftLifetime).millisecondsSince1970
    }

    /// Marks expired drafts, and removes those whose mark is old enough.
    fileprivate func pruneDrafts(at date: Date) throws {
        // The clock may have been ahead when they were marked.
        try execute(
            sql: """
                UPDATE drafts SET expiry_notice_time = NULL
                WHERE expiry_notice_time IS NOT NULL AND update_time > ?
                """, arguments: [Self.expiry(at: date)])
        try execute(
            sql: """
                UPDATE drafts SET expiry_notice_time = ?1
                WHERE update_time <= ?2
                    AND (expiry_notice_time IS NULL OR expiry_notice_time > ?1)
                """, arguments: [date.millisecondsSince1970, Self.expiry(at: date)])
        try execute(
            sql: "DELETE FROM drafts WHERE expiry_notice_time <= ?",
            arguments: [(date - TemplateStoreLimits.draftGrace).millisecondsSince1970])
    }

    /// The tag of a draft; nil when there is none or it has expired.
    fileprivate func tag(
        ofDraftOf owner: String, inProject project: String, at date: Date
    ) throws -> String? {
        try SQLiteBytes.fetchOne(
            self,
            sql: """
                SELECT tag FROM drafts
                WHERE owner = CAST(? AS BLOB) AND project = CAST(? AS BLOB) AND update_time > ?
                """,
            arguments: [SQLiteBytes(owner), SQLiteBytes(project), Self.expiry(at: date)])?.text
    }

    /// The projects in which an administrator has an unexpired draft, by name.
    fileprivate func projects(withDraftsOf owner: String, at date: Date) throws -> [String] {
        try SQLiteBytes.fetchAll(
            self,
            sql: """
                SELECT project FROM drafts WHERE owner = CAST(? AS BLOB) AND update_time > ?
                ORDER BY project
                """, arguments: [SQLiteBytes(owner), Self.expiry(at: date)]
        ).map(\.text)
    }

    func upsert(_ draft: StoredDraft) throws {
        try execute(
            sql: """
                INSERT INTO drafts (owner, project, base_version, tag, update_time, content)
                VALUES (CAST(? AS BLOB), CAST(? AS BLOB), ?, CAST(? AS BLOB), ?, CAST(? AS BLOB))
                ON CONFLICT (owner, project) DO UPDATE SET
                    base_version = excluded.base_version, tag = excluded.tag,
                    update_time = excluded.update_time, content = excluded.content,
                    expiry_notice_time = NULL
                """,
            arguments: [
                SQLiteBytes(draft.owner), SQLiteBytes(draft.project), draft.baseVersion,
                SQLiteBytes(draft.tag), draft.updateTime.millisecondsSince1970,
                SQLiteBytes(draft.content),
            ])
    }
}
