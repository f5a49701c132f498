import Foundation
package import TemplateStore
import Templates

extension InMemoryTemplateStore: ArchivingStore {
    /// Opens a snapshot of the content.
    package func openArchive() async throws(TemplateStoreError) -> any StoreArchive {
        InMemoryArchive(contents: try access { $0 })
    }

    /// Starts to fill this store.
    ///
    /// No mark is needed, since the content is lost when the process ends.
    package func beginFilling() async throws(TemplateStoreError) -> any ArchiveWriter {
        guard try access({ $0.isEmpty }) else { throw .notEmpty("memory") }
        return InMemoryArchiveWriter(store: self)
    }

    /// Raises the version floor.
    package func raiseVersions(_ raise: VersionRaise) async throws(TemplateStoreError) -> Int {
        try access { contents throws(TemplateStoreError) in try contents.raiseVersions(raise) }
    }
}

private struct InMemoryArchive: StoreArchive {
    let contents: InMemoryStoreContents

    var revision: StoreRevision { contents.revision }
    var changeCount: Int { contents.audit.count }

    func read(
        _ receive: (ArchivedRecord) async throws(TemplateStoreError) -> Void
    ) async throws(TemplateStoreError) {
        var content: [StoreRevision: ArchivedContent] = [:]
        for (name, project) in contents.projects.all {
            for template in project.versions { content[template.revision] = .template(template) }
            if let details = project.details {
                content[details.revision] = .details(details.details, project: name)
            }
        }
        for entry in contents.audit {
            try await receive(.change(entry, content.removeValue(forKey: entry.revision)))
        }
        guard content.isEmpty else { throw .incompleteTrail }
        for (name, project) in contents.projects.all {
            for (user, content) in project.overrides {
                let userID = String(decoding: user, as: UTF8.self)
                try await receive(.overrides(project: name, userID: userID, content: content))
            }
        }
        for token in contents.tokens { try await receive(.token(token)) }
        for session in contents.sessions.values { try await receive(.session(session)) }
        for queue in contents.webhooks.queues {
            try await receive(.webhook(queue.withoutClaims))
        }
        for entry in contents.drafts.all { try await receive(.draft(entry)) }
        for (_, requests) in contents.changeRequests.all {
            for request in requests { try await receive(.changeRequest(request)) }
        }
    }
}

private struct InMemoryArchiveWriter: ArchiveWriter {
    let store: InMemoryTemplateStore

    func write(_ record: ArchivedRecord) async throws(TemplateStoreError) {
        try store.access { contents throws(TemplateStoreError) in try contents.add(record) }
    }

    func flush() async throws(TemplateStoreError) {}

    func complete() async throws(TemplateStoreError) {}
}

extension InMemoryStoreContents {
    /// True if nothing was ever stored.
    var isEmpty: Bool { revision == .zero && drafts.all.isEmpty }

    mutating func raiseVersions(_ raise: VersionRaise) throws(TemplateStoreError) -> Int {
        let numbers = projects.values.compactMap(\.current?.version.number) + deletedVersions.values
        let (floor, entry) = try raise.applied(
            above: max(numbers.max() ?? 0, versionFloor), revision: nextRevision)
        versionFloor = floor
        record(entry.changeSubject, entry)
        return floor + 1
    }

    /// Adds a record of an archive; a change gets the next revision.
    mutating func add(_ archived: ArchivedRecord) throws(TemplateStoreError) {
        switch archived {
        case .change(let entry, let content):
            let entry = entry.moved(to: nextRevision)
            _ = create(entry)
            delete(entry)
            versionFloor = try entry.versionFloor ?? versionFloor
            switch content {
            case .template(let template):
                projects[template.project, default: Project()].versions.append(
                    StoredTemplate(
                        project: template.project, version: template.version,
                        content: template.content, revision: entry.revision,
                        deletedVersion: deletedVersions[template.project]))
            case .details(let details, let project):
                projects[project, default: Project()].details = StoredProjectDetails(
                    details, revision: entry.revision)
            case nil: break
            }
            record(entry.changeSubject, entry)
        case .overrides(let project, let userID, let content):
            projects[project]?.overrides[Data(userID.utf8)] = content
        case .token(let token): tokens.append(token)
        case .session(let session): sessions[session.id] = session
        case .webhook(let queue): webhooks.queues.append(queue)
        case .draft(let entry): drafts.add(entry)
        case .changeRequest(let request):
            changeRequests[request.project, default: []].append(request)
        }
    }
}
