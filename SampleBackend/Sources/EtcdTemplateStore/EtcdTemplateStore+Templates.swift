import Foundation
public import TemplateStore
import Templates

extension EtcdTemplateStore {
    /// Publishes a template as the next version if the current version is the expected one.
    public func publish(
        _ submission: TemplateSubmission
    ) async throws(TemplateStoreError) -> StoredTemplate {
        let project = submission.project
        let owner = owner.id
        let source = try await source(of: submission)
        return try await writing(submission.content) {
            content throws(TemplateStoreError) in
            try await write(
                afterDeletionOf: project, recordAt: 3,
                reading: [
                    EtcdRange(keys: .key(keys.project(project))),
                    // The oldest version is dropped for each version beyond the limit.
                    EtcdRange(keys: keys.versions(ofProject: project), limit: 2),
                    EtcdRange(keys: .key(keys.details(ofProject: project))),
                    EtcdRange(keys: .key(keys.deletedProject(project))),
                    EtcdRange(keys: .key(keys.floor)),
                ] + keys.gateRanges(of: submission) + keys.receiverRanges(ofProject: project)
            ) { [keys] reading throws(TemplateStoreError) in
                let known = try reading.records(0, as: VersionRecord.self).first?.number
                try reading.checkIsNotArchived(project, detailsAt: 2)
                try submission.checkExpectation(
                    current: known ?? 0, isPublished: reading.count(1) > 0)
                let deleted = try reading.deletedVersion(at: 3)
                let number = VersionFloor.nextVersion(
                    after: known, deleted: deleted, floor: try reading.versionFloor(at: 4))
                let request = try reading.gate(
                    for: submission, detailsAt: 2, deletedVersion: deleted, from: 5, source: source,
                    keys: keys
                ).check(publishing: number)
                let template = submission.stored(asVersion: number, revision: .zero)
                let record = try VersionRecord(template.version, content: content.reference)
                    .encoded()
                let version = keys.version(number, ofProject: project)
                // The change's number already orders publishes. This guard holds even if the key of
                // the current version was lost: no publish replaces a version.
                var write = EtcdWrite(
                    guards: content.guards + [.modified(version, at: 0)],
                    operations: content.operations
                ) {
                    submission.stored(
                        asVersion: number, revision: $0, deletedVersion: deleted)
                }
                write.operations += [
                    .put(keys.project(project), record),
                    .put(version, record),
                ]
                write.operations += try reading.dropping(versionsAt: 1, ofProject: project, keys)
                let receivers = try EtcdReceiver.all(in: reading, from: 9, keys: keys, for: owner)
                if let request {
                    try reading.add(published: request, recordAt: 6, keys: keys, to: &write)
                }
                try EtcdReceiver.enqueue(
                    WebhookEvent.events(
                        of: template.version, publishing: request, over: known),
                    date: template.version.updateTime, for: receivers, in: &write, keys: keys)
                write.change = .init(
                    subject: .template(project: project, version: number),
                    entry: AuditEntry(of: template))
                return .write(write)
            }
        }
    }

    /// A version of a project's template.
    public func template(
        version: Int?, inProject project: String
    ) async throws(TemplateStoreError) -> StoredTemplate? {
        let key = version.map { keys.version($0, ofProject: project) } ?? keys.project(project)
        // Another publish may drop the version between the two reads.
        for _ in 0..<3 {
            let reading = try await read([
                EtcdRange(keys: .key(key)), EtcdRange(keys: .key(keys.deletedProject(project))),
            ])
            guard let found = reading.keyValues(0).first else {
                guard let version else { return nil }
                return try await createdTemplate(version: version, inProject: project)
            }
            let record = try VersionRecord(decoding: found)
            let deleted = try reading.deletedVersion(at: 1)
            do throws(EtcdFailure) {
                if let content = try await content(record.content) {
                    return StoredTemplate(
                        project: project, version: record.version, content: content,
                        revision: StoreRevision(found.modRevision), deletedVersion: deleted)
                }
            } catch {
                throw isClosed ? .closed : TemplateStoreError(error)
            }
        }
        throw .damagedRecord(key)
    }

    /// The versions of a project, newest first.
    public func versions(
        inProject project: String, matching query: VersionQuery
    ) async throws(TemplateStoreError) -> VersionPage {
        let limit = min(max(query.limit, 1), TemplateStoreLimits.keptVersions)
        let start = query.startTime?.roundedToMilliseconds
        let end = query.endTime?.roundedToMilliseconds
        let records = try await read([EtcdRange(keys: keys.versions(ofProject: project))])
            .records(0, as: VersionRecord.self)
        let found = records.reversed().map(\.version).filter { version in
            version.number <= query.endVersion ?? .max
                && start.map { $0 <= version.updateTime } ?? true
                && end.map { version.updateTime < $0 } ?? true
        }
        return VersionPage(
            versions: Array(found.prefix(limit)),
            nextVersion: found.count > limit ? found[limit].number : nil)
    }
}

extension EtcdReading {
    /// The operations that drop the oldest versions, which are at an index of the reading, so that one
    /// more can be stored.
    fileprivate func dropping(
        versionsAt place: Int, ofProject project: String, _ keys: EtcdKeys
    ) throws(TemplateStoreError) -> [EtcdOperation] {
        let excess = max(count(place) + 1 - TemplateStoreLimits.keptVersions, 0)
        return try records(place, as: VersionRecord.self).prefix(excess).flatMap { version in
            [
                EtcdOperation.delete(.key(keys.version(version.number, ofProject: project))),
                .delete(keys.content(version.content.id)),
            ]
        }
    }
}
