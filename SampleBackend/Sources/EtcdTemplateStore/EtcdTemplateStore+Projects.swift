import Foundation
public import TemplateStore
import Templates

// Projects that are created empty, archived and deleted.
extension EtcdTemplateStore {
    /// Maximum number of versions, of users with pinned values and of drafts that one write
    /// removes; a transaction can have 128 operations, and each takes two.
    private static let (mostVersions, mostUsers, mostDrafts) = (20, 20, 15)

    /// Creates a project with an empty template.
    public func createProject(
        _ creation: ProjectCreation
    ) async throws(TemplateStoreError) -> StoredTemplate {
        let project = creation.project
        let entry = AuditEntry(of: creation, revision: .zero)
        let details = try DetailsRecord(creation.details).encoded()
        return try await writing(Data("{}".utf8)) { content throws(TemplateStoreError) in
            try await write(
                afterDeletionOf: project, recordAt: 1,
                reading: [
                    EtcdRange(keys: .key(keys.project(project)), part: .count),
                    EtcdRange(keys: .key(keys.deletedProject(project))),
                    EtcdRange(keys: .key(keys.floor)),
                ]
            ) { [keys] reading throws(TemplateStoreError) in
                let deleted = try reading.deletedVersion(at: 1)
                let floor = try reading.versionFloor(at: 2)
                guard reading.count(0) == 0,
                    let template = entry.createdTemplate(after: deleted, floor: floor)
                else { throw .projectExists(project) }
                let record = try VersionRecord(
                    template.version, content: content.reference
                ).encoded()
                var write = EtcdWrite(guards: content.guards, operations: content.operations) {
                    StoredTemplate(
                        project: project, version: template.version, content: template.content,
                        revision: $0, deletedVersion: deleted)
                }
                write.operations += [
                    .put(keys.project(project), record),
                    .put(keys.createdProject(project), record),
                    .put(keys.details(ofProject: project), details),
                ]
                write.change = .init(subject: .project(project), entry: entry)
                return .write(write)
            }
        }
    }

    /// Deletes an archived project with all of its content.
    ///
    /// One transaction deletes the project, its details and webhooks; the rest follows in steps.
    /// After a failure these are completed by ``completeDeletions()``, by a repeated deletion, and
    /// before anything else is stored under the name.
    @discardableResult
    public func deleteProject(
        _ deletion: ProjectDeletion
    ) async throws(TemplateStoreError) -> Int {
        let project = deletion.project
        let version = try await write(
            reading: [
                EtcdRange(keys: .key(keys.project(project))),
                EtcdRange(keys: .key(keys.details(ofProject: project))),
                EtcdRange(keys: .key(keys.createdProject(project))),
                EtcdRange(keys: .key(keys.deletedProject(project))),
                EtcdRange(keys: keys.changeRequests(inProject: project)),
            ]
        ) { [keys] reading throws(TemplateStoreError) in
            guard let current = try reading.records(0, as: VersionRecord.self).first else {
                let deleted = try reading.records(3, as: DeletedProjectRecord.self).first
                guard let deleted, !deleted.isCleared else { throw .projectMissing(project) }
                return .done(deleted.version)
            }
            try deletion.check(
                try reading.keyValues(1).first.map(StoredProjectDetails.init(decoding:))
                    ?? StoredProjectDetails())
            let record = DeletedProjectRecord(version: current.number, isCleared: false)
            var write = EtcdWrite { _ in current.number }
            write.operations = [
                .delete(.key(keys.project(project))),
                .delete(.key(keys.details(ofProject: project))),
                .delete(.key(keys.usage(ofProject: project))),
                .delete(.key(keys.createdProject(project))),
                .delete(keys.webhooks(inProject: project)),
                .delete(keys.pending(inProject: project)),
                .delete(keys.finished(inProject: project)),
                .put(keys.deletedProject(project), try record.encoded()),
            ]
            if let created = try reading.records(2, as: VersionRecord.self).first {
                write.operations.append(.delete(keys.content(created.content.id)))
            }
            let deletedVersion = try reading.deletedVersion(at: 3)
            // A damaged one keeps no project from its deletion.
            let requests = try? reading.changeRequests(
                4, at: deletion.date, deletedVersion: deletedVersion)
            write.change = .init(
                subject: .project(project),
                entry: AuditEntry(
                    of: deletion, lastVersion: current.number,
                    requests: requests ?? [],
                    revision: .zero))
            return .write(write)
        }
        // The project is deleted already, so a failure here is not one of the deletion.
        try? await clearDeletedProject(project)
        return version
    }

    /// The last version of a deleted project.
    public func deletedVersion(
        ofProject project: String
    ) async throws(TemplateStoreError) -> Int? {
        try await read([EtcdRange(keys: .key(keys.deletedProject(project)))])
            .deletedVersion(at: 0)
    }

    /// Completes the deletions that were interrupted, by any process.
    public func completeDeletions() async throws(TemplateStoreError) {
        var failure: TemplateStoreError?
        for project in try await read([EtcdRange(keys: keys.deleted)]).unclearedProjects(0, keys) {
            do throws(TemplateStoreError) {
                try await clearDeletedProject(project)
            } catch {
                // Damage in one project keeps no other from its deletion.
                guard error.code == .damaged else { throw error }
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Reads, decides and writes as ``write(reading:_:)``, and first completes a deletion whose
    /// remains would belong to the new project.
    ///
    /// The record of the deleted project is at an index of the ranges.
    func write<Result: Sendable>(
        afterDeletionOf project: String, recordAt place: Int, reading ranges: [EtcdRange],
        _ decide: @Sendable (EtcdReading) throws(TemplateStoreError) -> EtcdDecision<Result>
    ) async throws(TemplateStoreError) -> Result {
        while true {
            let result = try await write(reading: ranges) {
                reading throws(TemplateStoreError) -> EtcdDecision<Result?> in
                let deleted = try reading.records(place, as: DeletedProjectRecord.self).first
                guard deleted?.isCleared ?? true else { return .done(nil) }
                switch try decide(reading) {
                case .done(let result): return .done(result)
                case .write(let write):
                    return .write(
                        EtcdWrite(
                            guards: write.guards, operations: write.operations,
                            change: write.change.map {
                                .init(subject: $0.subject, entry: $0.entry)
                            },
                            witness: write.witness.map { .init(key: $0.key, isOurs: $0.isOurs) }
                        ) { write.result($0) })
                }
            }
            if let result { return result }
            try await clearDeletedProject(project)
        }
    }

    /// Removes the versions, pinned values and drafts of a deleted project, in steps.
    private func clearDeletedProject(_ project: String) async throws(TemplateStoreError) {
        while try await !clearPart(ofDeletedProject: project) {}
    }

    /// Removes a part of what remains of a deleted project; true when nothing remains.
    ///
    /// The content of a damaged record cannot be found, and stays.
    private func clearPart(
        ofDeletedProject project: String
    ) async throws(TemplateStoreError) -> Bool {
        let key = keys.deletedProject(project)
        return try await write(
            reading: [
                EtcdRange(keys: .key(key)),
                EtcdRange(keys: keys.versions(ofProject: project), limit: Self.mostVersions),
                EtcdRange(keys: keys.overrides(inProject: project), limit: Self.mostUsers),
                EtcdRange(keys: keys.allDrafts),
            ]
        ) { [keys] reading throws(TemplateStoreError) in
            guard let found = reading.keyValues(0).first else { return .done(true) }
            let record = try DeletedProjectRecord(decoding: found)
            if record.isCleared { return .done(true) }
            // Completing changes the record, so a slower process cannot delete the content of a new
            // project.
            let guards: [EtcdComparison] = [.modified(key, at: found.modRevision)]
            var contents: [ContentReference?] = []
            var operations: [EtcdOperation] = []
            for found in reading.keyValues(1) {
                operations.append(.delete(.key(found.key)))
                contents.append(try? VersionRecord(decoding: found).content)
            }
            for found in reading.keyValues(2) {
                operations.append(.delete(.key(found.key)))
                contents.append((try? OverridesRecord(decoding: found))?.reference)
            }
            var draftCount = 0
            for found in reading.keyValues(3) where draftCount < Self.mostDrafts {
                guard let name = keys.names(in: found.key)?.last,
                    name.utf8.elementsEqual(project.utf8)
                else { continue }
                draftCount += 1
                operations.append(.delete(.key(found.key)))
                contents.append(try? DraftRecord(decoding: found).content)
            }
            operations += contents.compactMap { $0 }.map { .delete(keys.content($0.id)) }
            let isLast = operations.isEmpty
            if isLast {
                let cleared = DeletedProjectRecord(version: record.version, isCleared: true)
                operations = [.put(key, try cleared.encoded())]
            }
            return .write(
                EtcdWrite(guards: guards, operations: operations) { _ in isLast })
        }
    }

    /// The empty template with which a project was created, if it has this version.
    func createdTemplate(
        version: Int, inProject project: String
    ) async throws(TemplateStoreError) -> StoredTemplate? {
        let reading = try await read([
            EtcdRange(keys: .key(keys.createdProject(project))),
            EtcdRange(keys: .key(keys.deletedProject(project))),
        ])
        guard let found = reading.keyValues(0).first else { return nil }
        let record = try VersionRecord(decoding: found)
        guard record.number == version else { return nil }
        return StoredTemplate(
            project: project, version: record.version, content: Data("{}".utf8),
            revision: StoreRevision(found.modRevision),
            deletedVersion: try reading.deletedVersion(at: 1))
    }
}

extension EtcdReading {
    /// - Throws: ``TemplateStoreError`` when the details at an index of the reading say that their
    ///   project is archived.
    func checkIsNotArchived(_ project: String, detailsAt place: Int) throws(TemplateStoreError) {
        let details = try records(place, as: DetailsRecord.self).first?.details
        if details?.isArchived == true { throw .projectArchived(project) }
    }

    /// The last version of a deleted project, whose record is at an index of the reading; nil when
    /// no project of this name was deleted.
    func deletedVersion(at place: Int) throws(TemplateStoreError) -> Int? {
        try records(place, as: DeletedProjectRecord.self).first?.version
    }

    /// The deleted projects of which content remains; their records are at an index of the reading.
    func unclearedProjects(
        _ place: Int, _ keys: EtcdKeys
    ) throws(TemplateStoreError) -> [String] {
        var projects: [String] = []
        for found in keyValues(place) {
            let record = try DeletedProjectRecord(decoding: found)
            guard !record.isCleared, let project = keys.names(in: found.key)?.first else {
                continue
            }
            projects.append(project)
        }
        return projects
    }
}
