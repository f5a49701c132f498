import Foundation
public import TemplateStore

extension EtcdTemplateStore {
    /// The changes after a revision, by any process, in order.
    public func changes(since revision: StoreRevision) -> StoreChanges {
        let cursor = EtcdChangeCursor(after: revision, of: self)
        return StoreChanges(AsyncThrowingStream { try await cursor.next() })
    }

    /// The revision of the last change.
    func latestRevision() async throws(TemplateStoreError) -> StoreRevision {
        StoreRevision(try await read([]).changeRevision)
    }

    /// The data that a server needs to answer clients, read at one revision.
    public func snapshot() async throws(TemplateStoreError) -> TemplateStoreSnapshot {
        var attempt = 0
        while true {
            let reading = try await read([
                EtcdRange(keys: keys.projects), EtcdRange(keys: keys.details),
                EtcdRange(keys: keys.deleted), EtcdRange(keys: .key(keys.floor)),
            ])
            let floor = try reading.versionFloor(at: 3)
            do throws(EtcdFailure) {
                var snapshot = try await snapshot(reading)
                snapshot.versionFloor = floor
                return snapshot
            } catch {
                attempt += 1
                if isClosed { throw .closed }
                // The revision was compacted during the read.
                guard error.kind == .compacted, attempt < 3 else { throw TemplateStoreError(error) }
            }
        }
    }

    /// Completes a reading of all projects' current versions and details.
    private func snapshot(
        _ reading: EtcdReading
    ) async throws(EtcdFailure) -> TemplateStoreSnapshot {
        var deletedVersions: [String: Int] = [:]  // names: names of projects are ASCII
        for found in reading.keyValues(2) {
            guard let project = keys.names(in: found.key)?.first,
                let record = try? DeletedProjectRecord(decoding: found)
            else { throw .damaged(found.key) }
            deletedVersions[project] = record.version
        }
        var templates: [StoredTemplate] = []
        for found in reading.keyValues(0) {
            guard let project = keys.names(in: found.key)?.first,
                let record = try? VersionRecord(decoding: found),
                let content = try await content(record.content, at: reading.revision)
            else { throw .damaged(found.key) }
            templates.append(
                StoredTemplate(
                    project: project, version: record.version, content: content,
                    revision: StoreRevision(found.modRevision),
                    deletedVersion: deletedVersions[project]))
        }
        var overrides: [String: [Data: Data]] = [:]  // names: names of projects are ASCII
        var omissions: [String] = []
        for found in try await readAll(keys.allOverrides, at: reading.revision) {
            guard let names = keys.names(in: found.key), names.count == 2,
                let record = try? OverridesRecord(decoding: found),
                let content = try await content(of: record, at: reading.revision)
            else {
                // Serve all other users.
                omissions.append(
                    "Pinned values are missing, since the value of the key "
                        + "'\(found.key.shownKey)' in etcd cannot be read: restore it, or "
                        + "remove the key and pin them again.")
                continue
            }
            overrides[names[0], default: [:]][Data(names[1].utf8)] = content
        }
        var details: [String: StoredProjectDetails] = [:]  // names: names of projects are ASCII
        for found in reading.keyValues(1) {
            guard let project = keys.names(in: found.key)?.first,
                let stored = try? StoredProjectDetails(decoding: found)
            else { throw .damaged(found.key) }
            details[project] = stored
        }
        var snapshot = TemplateStoreSnapshot(
            templates: templates.sorted { $0.project < $1.project }, overrides: overrides,
            projectDetails: details, revision: StoreRevision(reading.changeRevision))
        snapshot.omissions = omissions
        snapshot.deletedVersions = deletedVersions
        return snapshot
    }
}

extension EtcdFailure {
    fileprivate static func damaged(_ key: Data) -> EtcdFailure {
        EtcdFailure(
            .damaged,
            "the value of the key '\(key.shownKey)' cannot be read")
    }
}
