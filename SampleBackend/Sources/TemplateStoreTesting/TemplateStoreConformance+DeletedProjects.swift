import Foundation
import TemplateStore
import Templates

// Checks of ``projectChecks``.
extension TemplateStoreConformance {
    /// Neither a project that is not archived nor a missing one is deleted.
    public func onlyAnArchivedProjectIsDeleted() async throws {
        try await onNewStore { trial in
            try await trial.expectError(.projectMissing, "A missing project is not deleted.") {
                () throws(TemplateStoreError) in try await trial.delete()
            }
            try await trial.publish()
            try await trial.expectError(.projectNotArchived, "Only archived ones are deleted.") {
                () throws(TemplateStoreError) in try await trial.delete()
            }
            let archived = try await trial.setArchived(true)
            try await trial.expectError(
                .projectDetailsMismatch, "A project is deleted with the expected details only."
            ) { () throws(TemplateStoreError) in try await trial.delete(expecting: .zero) }
            try await trial.delete(expecting: archived.revision)
            try await trial.expectError(.projectMissing, "A project is deleted once.") {
                () throws(TemplateStoreError) in try await trial.delete()
            }
        }
    }

    /// Everything of a deleted project is removed except its audit trail, and nothing of others.
    public func aDeletedProjectLeavesItsAuditTrail() async throws {
        try await onNewStore { trial in
            let project = StoreTrial.project
            try await trial.addWebhooks("w")
            // More than an engine removes at a time.
            for number in 0..<45 {
                try await trial.publish("{\"n\":\(number)}")
                try await trial.pin("{\"S\":{\"n\":\(number)}}", forUserID: "\(number)")
            }
            _ = try await trial.store.saveDraft(StoreTrial.projectDraft())
            _ = try await trial.store.saveDraft(StoreTrial.projectDraft("other"))
            try await trial.publish(inProject: "other")
            try await trial.pin("{}", forUserID: "1", inProject: "other")
            try await trial.setArchived(true)
            try await trial.delete()
            let store = try await trial.reopen()
            let rule = "Everything of a deleted project is removed."
            for version in [nil, 1, 46] {
                try trial.expect(
                    try await store.template(version: version, inProject: project), is: nil, rule)
            }
            let versions = try await store.versions(inProject: project, matching: VersionQuery())
            try trial.expect(versions.versions, is: [], rule)
            try trial.expect(try await store.projectDetails(ofProject: project), is: nil, rule)
            try trial.expect(
                try await store.overrides(forUserID: "1", inProject: project), is: nil, rule)
            try trial.expect(try await store.webhooks(inProject: project), is: [], rule)
            try trial.expect(try await trial.deliveries(of: "w"), is: [], rule)
            try trial.expect(try await trial.claim(at: 1_000).count, is: 0, rule)
            let draft = try await store.draft(
                ofOwner: "t", inProject: project, date: StoreTrial.date)
            try trial.expect(draft, is: nil, rule)
            let snapshot = try await store.snapshot()
            try trial.expect(snapshot.templates.map(\.project), is: ["other"], rule)
            try trial.expect(snapshot.overrides.keys.sorted(), is: ["other"], rule)
            let kept = try await store.draft(
                ofOwner: "t", inProject: "other", date: StoreTrial.date)
            try trial.expect(kept != nil, "Other projects keep their drafts.", found: "none.")
            let entries = try await store.auditEntries(
                inProject: project, matching: AuditQuery(limit: 1_000))
            try trial.expect(
                entries.first?.action, is: .deleteProject, "The deletion is in the audit trail.")
            try trial.expect(
                entries.filter { $0.action == .publish }.count, is: 46,
                "The audit trail of a deleted project stays.")
            _ = try await trial.create()
            try trial.expect(
                try await store.overrides(forUserID: "1", inProject: project), is: nil,
                "A project of the same name has nothing of the deleted one.")
        }
    }

    /// A name that only Unicode calls equal, such as one with a Kelvin sign, is that of another
    /// project.
    public func projectNamesAreComparedByBytes() async throws {
        try await onNewStore { trial in
            let rule = "Names of projects are compared by their bytes."
            let (name, other) = ("K", "\u{212A}")
            try await trial.publish(inProject: name)
            try await trial.pin("{}", forUserID: "1", inProject: name)
            try await trial.store.addWebhook(StoreTrial.webhook("w", inProject: name))
            _ = try await trial.store.saveDraft(StoreTrial.projectDraft(name))
            let store = try await trial.reopen()
            func isEmpty(_ project: String) async throws -> Bool {
                let page = try await store.versions(inProject: project, matching: VersionQuery())
                let deliveries = try await store.deliveries(
                    ofWebhook: "id of w", inProject: project, limit: 1)
                let entries = try await store.auditEntries(
                    inProject: project, matching: AuditQuery(actions: [.publish]))
                let current = try await store.template(version: nil, inProject: project)
                let first = try await store.template(version: 1, inProject: project)
                let details = try await store.projectDetails(ofProject: project)
                let pinned = try await store.overrides(forUserID: "1", inProject: project)
                let draft = try await store.draft(
                    ofOwner: "t", inProject: project, date: StoreTrial.date)
                let webhooks = try await store.webhooks(inProject: project)
                return current == nil && first == nil && details == nil && pinned == nil
                    && draft == nil && webhooks.isEmpty && page.versions.isEmpty
                    && deliveries.isEmpty && entries.isEmpty
            }
            try trial.expect(try await isEmpty(other), is: true, rule)
            try trial.expect(
                try await store.removeWebhook(
                    id: "id of w", inProject: other, actor: "root", date: StoreTrial.date),
                is: false, rule)
            for (project, number) in [(other, 1), (name, 2), (other, 2)] {
                let published = try await trial.publish(inProject: project)
                try trial.expect(published.version.number, is: number, rule)
            }
            try trial.expect(try await store.snapshot().templates.count, is: 2, rule)
            let deliveries = try await store.deliveries(
                ofWebhook: "id of w", inProject: name, limit: 10)
            try trial.expect(deliveries.map(\.version), is: [2], rule)
            _ = try await store.setProjectDetails(
                ProjectDetailsChange(
                    project: other, details: ProjectDetails(isArchived: true),
                    date: StoreTrial.date, actor: "root"))
            try await store.deleteProject(
                ProjectDeletion(project: other, date: StoreTrial.date, actor: "root"))
            try trial.expect(
                try await store.template(version: nil, inProject: other) == nil, is: true, rule)
            try trial.expect(try await isEmpty(name), is: false, rule)
            try trial.expect(
                try await store.draft(ofOwner: "t", inProject: name, date: StoreTrial.date) != nil,
                is: true, rule)
            try trial.expect(try await store.webhooks(inProject: name).count, is: 1, rule)
            try trial.expect(
                try await trial.publish(inProject: other).version.number, is: 3, rule)
            try trial.expect(
                try await trial.publish(inProject: name).version.number, is: 3, rule)
        }
    }

    /// A project of a deleted one's name continues its numbers, which clients may have seen.
    public func versionNumbersAreNotUsedAgain() async throws {
        try await onNewStore { trial in
            let rule = "A version number is not used again after a deletion."
            for _ in 0..<2 { try await trial.publish() }
            try await trial.setArchived(true)
            try await trial.delete()
            let created = try await trial.create()
            try trial.expect(created.version.number, is: 3, rule)
            try trial.expect(
                try await trial.publish(expecting: .version(3)).version.number, is: 4, rule)
            try await trial.setArchived(true)
            try await trial.delete()
            // A publish creates a project, which has no version before.
            try trial.expect(
                try await trial.publish(expecting: .version(0)).version.number, is: 5, rule)
            try await trial.setArchived(true)
            try await trial.delete()
            let empty = try await trial.create()
            try trial.expect(empty.version.number, is: 6, rule)
            try await trial.setArchived(true)
            try await trial.delete()
            try trial.expect(try await trial.create().version.number, is: 7, rule)
        }
    }

    /// The last version of a deleted project is known, with the templates of a new one too.
    public func aDeletionIsKnownByItsLastVersion() async throws {
        try await onNewStore { trial in
            let project = StoreTrial.project
            let other = try await trial.reopen()
            func checkIsKnown(
                _ version: Int?, with template: StoredTemplate? = nil
            ) async throws {
                let rule = "The last version of a deleted project is known."
                try trial.expect(
                    try await other.deletedVersion(ofProject: project), is: version, rule)
                let snapshot = try await other.snapshot()
                try trial.expect(snapshot.deletedVersions[project], is: version, rule)
                try trial.expect(snapshot.templates, is: template.map { [$0] } ?? [], rule)
                guard let template else { return }
                try trial.expect(template.deletedVersion, is: version, rule)
                for number in [nil, template.version.number] {
                    try trial.expect(
                        try await other.template(version: number, inProject: project),
                        is: template, rule)
                }
            }
            func delete() async throws -> Int {
                try await trial.setArchived(true)
                return try await trial.store.deleteProject(
                    ProjectDeletion(project: project, date: StoreTrial.date, actor: "owner"))
            }
            let rule = "A deletion returns the last version."
            try await checkIsKnown(nil)
            try await checkIsKnown(nil, with: try await trial.publish())
            try trial.expect(try await delete(), is: 1, rule)
            try await checkIsKnown(1)
            try await checkIsKnown(1, with: try await trial.publish())
            try trial.expect(try await delete(), is: 2, rule)
            try await checkIsKnown(2, with: try await trial.create())
            try await checkIsKnown(2, with: try await trial.publish())
            try await other.completeDeletions()
            try trial.expect(try await delete(), is: 4, rule)
            try await checkIsKnown(4)
        }
    }
}
