import TemplateStore
import Templates

// Projects that are created empty, archived and deleted.
extension InMemoryStoreContents {
    func checkIsNotArchived(_ project: String) throws(TemplateStoreError) {
        if projects[project]?.isArchived == true { throw .projectArchived(project) }
    }

    /// Creates a project with an empty template.
    mutating func createProject(
        _ creation: ProjectCreation
    ) throws(TemplateStoreError) -> StoredTemplate {
        let entry = AuditEntry(of: creation, revision: nextRevision)
        guard projects[creation.project] == nil, let template = create(entry) else {
            throw .projectExists(creation.project)
        }
        projects[creation.project]?.details = StoredProjectDetails(
            creation.details, revision: entry.revision)
        record(entry.changeSubject, entry)
        return template
    }

    /// Creates the project of an audit entry; nil for other entries.
    mutating func create(_ entry: AuditEntry) -> StoredTemplate? {
        let deletedVersion = entry.project.flatMap { deletedVersions[$0] }
        guard
            let template = entry.createdTemplate(after: deletedVersion, floor: versionFloor)
        else { return nil }
        projects[template.project] = Project(created: template)
        return template
    }

    /// Deletes an archived project with all of its content.
    mutating func deleteProject(_ deletion: ProjectDeletion) throws(TemplateStoreError) -> Int {
        guard let details = projectDetails(ofProject: deletion.project),
            let current = projects[deletion.project]?.current
        else { throw .projectMissing(deletion.project) }
        try deletion.check(details)
        let entry = AuditEntry(
            of: deletion, lastVersion: current.version.number,
            requests: changeRequestHeaders(inProject: deletion.project, date: deletion.date),
            revision: nextRevision)
        delete(entry)
        webhooks.removeAll(inProject: deletion.project)
        drafts.removeAll(inProject: deletion.project)
        record(entry.changeSubject, entry)
        return current.version.number
    }

    /// Deletes the project of an audit entry; other entries have no effect.
    mutating func delete(_ entry: AuditEntry) {
        guard let version = entry.deletedVersion, let project = entry.project else { return }
        projects[project] = nil
        deletedVersions[project] = version
    }
}
