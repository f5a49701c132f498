import Foundation
import TemplateStore
import Templates

extension TemplateStoreConformance {
    /// The checks of ``ProjectStoring``, and of archived projects.
    public static var projectChecks: [Check] {
        [
            Check("aCreatedProjectIsEmpty", Self.aCreatedProjectIsEmpty),
            Check("aProjectIsCreatedOnce", Self.aProjectIsCreatedOnce),
            Check("anArchivedProjectCanOnlyBeRead", Self.anArchivedProjectCanOnlyBeRead),
            Check("onlyAnArchivedProjectIsDeleted", Self.onlyAnArchivedProjectIsDeleted),
            Check("aDeletedProjectLeavesItsAuditTrail", Self.aDeletedProjectLeavesItsAuditTrail),
            Check("versionNumbersAreNotUsedAgain", Self.versionNumbersAreNotUsedAgain),
            Check("aDeletionIsKnownByItsLastVersion", Self.aDeletionIsKnownByItsLastVersion),
            Check("projectsAreInTheChangeFeed", Self.projectsAreInTheChangeFeed),
            Check("projectNamesAreComparedByBytes", Self.projectNamesAreComparedByBytes),
        ]
    }

    /// A created project has an empty template and details, before and after a publish.
    public func aCreatedProjectIsEmpty() async throws {
        try await onNewStore { trial in
            let rule = "A created project has an empty template at version 0."
            let details = ProjectDetails(displayName: "Shop", environment: .staging)
            let template = try await trial.create(details)
            try trial.expect(template.version.number, is: 0, rule)
            try trial.expect(StoreTrial.text(template.content), is: "{}", rule)
            try trial.expect(template.version.updateTime, is: StoreTrial.date, rule)
            let other = try await trial.reopen()
            for version in [nil, 0] {
                try trial.expect(
                    try await other.template(version: version, inProject: StoreTrial.project),
                    is: template, rule)
            }
            let stored = StoredProjectDetails(details, revision: template.revision)
            try trial.expect(
                try await other.projectDetails(ofProject: StoreTrial.project), is: stored,
                "The details of a created project have its revision.")
            let snapshot = try await other.snapshot()
            try trial.expect(snapshot.templates, is: [template], "A snapshot has it.")
            try trial.expect(
                snapshot.projectDetails, is: [StoreTrial.project: stored], "A snapshot has it.")
            let listed = try await other.versions(
                inProject: StoreTrial.project, matching: VersionQuery())
            try trial.expect(listed.versions, is: [], "Nothing is published in it.")
            try await trial.expectError(.versionMissing, "There is nothing to roll back to.") {
                () throws(TemplateStoreError) in
                _ = try await trial.store.rollBack(
                    to: 1, inProject: StoreTrial.project, user: .init(), date: StoreTrial.date)
            }
            try await trial.store.addWebhook(StoreTrial.webhook("w"))
            try await trial.pin("{\"Home\":{\"a\":1}}", forUserID: "1")
            let published = try await trial.publish(expecting: .version(0))
            try trial.expect(published.version.number, is: 1, "The first publish has number 1.")
            try trial.expect(
                try await other.template(version: 0, inProject: StoreTrial.project), is: template,
                "The empty template is kept.")
        }
    }

    /// A project is created once, and not over a published one.
    public func aProjectIsCreatedOnce() async throws {
        try await onNewStore { trial in
            let rule = "A project is created once."
            let created = try await trial.onlyOneSucceeds(rule, elseFailing: .projectExists) {
                store, _ throws(TemplateStoreError) in
                try await store.createProject(StoreTrial.creation())
            }
            try trial.expect(try await trial.revision(), is: created.revision, rule)
            try await trial.publish(inProject: "other")
            let before = try await trial.revision()
            try await trial.expectError(.projectExists, rule) { () throws(TemplateStoreError) in
                _ = try await trial.store.createProject(StoreTrial.creation("other"))
            }
            try trial.expect(
                try await trial.revision(), is: before, "A failed call makes no revision.")
        }
    }

    /// Every write of an archived project is refused, until that is ended.
    public func anArchivedProjectCanOnlyBeRead() async throws {
        try await onNewStore { trial in
            try await trial.addWebhooks("w")
            try await trial.pin("{}", forUserID: "1")
            let archived = try await trial.setArchived(true)
            let store = try await trial.reopen()
            let project = StoreTrial.project
            let writes: [(String, () async throws(TemplateStoreError) -> Void)] = [
                (
                    "publish",
                    { () throws(TemplateStoreError) in
                        _ = try await store.publish(StoreTrial.submission())
                    }
                ),
                (
                    "setOverrides",
                    { () throws(TemplateStoreError) in try await trial.pin("{}", forUserID: "2") }
                ),
                (
                    "setOverrides (removal)",
                    { () throws(TemplateStoreError) in try await trial.pin(nil, forUserID: "1") }
                ),
                (
                    "addWebhook",
                    { () throws(TemplateStoreError) in
                        try await store.addWebhook(StoreTrial.webhook("v"))
                    }
                ),
                (
                    "removeWebhook",
                    { () throws(TemplateStoreError) in
                        _ = try await store.removeWebhook(
                            id: "id of w", inProject: project, actor: "root",
                            date: StoreTrial.date)
                    }
                ),
                (
                    "saveDraft",
                    { () throws(TemplateStoreError) in
                        _ = try await store.saveDraft(StoreTrial.projectDraft())
                    }
                ),
                (
                    "setProjectDetails",
                    { () throws(TemplateStoreError) in
                        _ = try await store.setProjectDetails(
                            StoreTrial.detailsChange(
                                ProjectDetails(color: .red, isArchived: true)))
                    }
                ),
            ]
            for (name, write) in writes {
                try await trial.expectError(
                    .projectArchived, "An archived project refuses \(name).", write)
            }
            try trial.expect(
                try await trial.revision(), is: archived.revision,
                "A refused write makes no revision.")
            try trial.expect(
                try await store.template(version: nil, inProject: project)?.version.number, is: 1,
                "An archived project can be read.")
            try await trial.publish(inProject: "other")
            try await trial.setArchived(false)
            for (name, write) in writes {
                do {
                    try await write()
                } catch {
                    throw TemplateStoreConformanceFailure(
                        rule: "\(name) works when the archiving has ended.", finding: "\(error)")
                }
                // The last write archives the project again.
            }
        }
    }

    /// Creations, archivings and deletions are in the change feed and in the audit trail.
    public func projectsAreInTheChangeFeed() async throws {
        try await onNewStore { trial in
            let rule = "Created and deleted projects are in the feed and in the audit trail."
            let created = try await trial.create(ProjectDetails(displayName: "Shop"))
            try await trial.setArchived(true)
            try await trial.delete()
            let changes = try await trial.next(3, of: trial.store.changes(since: .zero))
            try trial.expect(
                changes.map(\.subject),
                is: [
                    .project(StoreTrial.project), .projectDetails(project: StoreTrial.project),
                    .project(StoreTrial.project),
                ], rule)
            try trial.expect(changes.first?.revision, is: created.revision, rule)
            let entries = try await trial.store.auditEntries(
                inProject: StoreTrial.project, matching: AuditQuery())
            try trial.expect(
                entries.map(\.action), is: [.deleteProject, .setProjectDetails, .createProject],
                rule)
            try trial.expect(
                entries.map(\.detail), is: ["last version 0", "archived", "Shop"], rule)
        }
    }
}

extension StoreTrial {
    static func creation(
        _ project: String = project, _ details: ProjectDetails = ProjectDetails()
    ) -> ProjectCreation {
        ProjectCreation(project: project, details: details, date: date, actor: "owner")
    }

    static func projectDraft(_ project: String = project) -> DraftSubmission {
        DraftSubmission(
            owner: "t", project: project, baseVersion: 1, content: Data("{}".utf8),
            expectation: .any, date: date)
    }

    func create(
        _ details: ProjectDetails = ProjectDetails()
    ) async throws(TemplateStoreError) -> StoredTemplate {
        try await store.createProject(Self.creation(Self.project, details))
    }

    @discardableResult
    func setArchived(
        _ isArchived: Bool
    ) async throws(TemplateStoreError) -> StoredProjectDetails {
        try await store.setProjectDetails(
            Self.detailsChange(ProjectDetails(isArchived: isArchived)))
    }

    func delete(
        expecting revision: StoreRevision? = nil
    ) async throws(TemplateStoreError) {
        try await store.deleteProject(
            ProjectDeletion(
                project: Self.project, expectedRevision: revision, date: Self.date, actor: "owner"))
    }
}
