public import Foundation
public import TemplateStore

extension EtcdTemplateStore {
    /// Maximum number of requests that one write marks or removes; a transaction can have 128
    /// operations, and a removal takes three.
    private static let mostPruned = 20

    /// Creates or replaces an open change request if the stored one is as expected.
    public func saveChangeRequest(
        _ submission: ChangeRequestSubmission
    ) async throws(TemplateStoreError) -> StoredChangeRequest {
        guard let contents = submission.contents else {
            return try await save(submission, base: nil, edited: nil)
        }
        return try await writing(contents.base) { base throws(TemplateStoreError) in
            try await writing(contents.edited) { edited throws(TemplateStoreError) in
                try await save(submission, base: base, edited: edited)
            }
        }
    }

    /// Saves a request whose templates are prepared; nil keeps those that are stored.
    private func save(
        _ submission: ChangeRequestSubmission, base: PreparedContent?, edited: PreparedContent?
    ) async throws(TemplateStoreError) -> StoredChangeRequest {
        let project = submission.project
        let key = keys.changeRequest(submission.id, inProject: project)
        return try await write(
            afterDeletionOf: project, recordAt: 3,
            reading: [
                EtcdRange(keys: keys.changeRequests(inProject: project)),
                EtcdRange(keys: .key(keys.project(project)), part: .count),
                EtcdRange(keys: .key(keys.details(ofProject: project))),
                EtcdRange(keys: .key(keys.deletedProject(project))),
            ]
        ) { [keys] reading throws(TemplateStoreError) in
            guard reading.count(1) > 0 else { throw .projectMissing(project) }
            try reading.checkIsNotArchived(project, detailsAt: 2)
            let deleted = try reading.deletedVersion(at: 3)
            let shelf = try EtcdChangeRequests(reading, keys: keys, at: submission.date)
            let known = shelf.records[key]
            let stored = try submission.stored(
                over: try known?.entry().stored,
                openCount: try shelf.openCount(deletedVersion: deleted), deletedVersion: deleted)
            guard let baseReference = base?.reference ?? known?.base,
                let reference = edited?.reference ?? known?.content
            else { throw .changeRequestMismatch(submission.id, isThere: false) }
            let record = ChangeRequestRecord(
                ChangeRequestEntry(stored), base: baseReference, content: reference)
            var answer = stored
            answer.contents = nil
            // The change's number guards the requests that were read.
            var write = EtcdWrite(
                guards: (base?.guards ?? []) + (edited?.guards ?? []),
                operations: (base?.operations ?? []) + (edited?.operations ?? [])
            ) { [answer] _ in answer }
            write.operations += try shelf.pruning(except: key, most: Self.mostPruned)
            write.operations.append(.put(key, try record.encoded()))
            if base != nil, let old = shelf.all[key] {
                write.operations += [
                    .delete(keys.content(old.base.id)), .delete(keys.content(old.content.id)),
                ]
            }
            write.change = .init(
                subject: .changeRequest(project: project, id: submission.id),
                entry: AuditEntry(of: submission, revision: .zero))
            return .write(write)
        }
    }

    /// A change request with its templates; nil when there is none with this identifier.
    public func changeRequest(
        id: String, inProject project: String, date: Date
    ) async throws(TemplateStoreError) -> StoredChangeRequest? {
        let key = keys.changeRequest(id, inProject: project)
        // The templates may be replaced between the two reads.
        for _ in 0..<3 {
            let reading = try await read([
                EtcdRange(keys: .key(key)), EtcdRange(keys: .key(keys.deletedProject(project))),
            ])
            guard let record = try reading.records(0, as: ChangeRequestRecord.self).first else {
                return nil
            }
            var stored = try record.entry().stored.seen(
                at: date, deletedVersion: try reading.deletedVersion(at: 1))
            stored.contents = try await contents(of: record)
            if stored.contents != nil { return stored }
        }
        throw .damagedRecord(key)
    }

    /// The templates of a request; nil when they were replaced since its record was read.
    private func contents(
        of record: ChangeRequestRecord
    ) async throws(TemplateStoreError) -> ChangeRequestContents? {
        do throws(EtcdFailure) {
            guard let base = try await content(record.base),
                let edited = try await content(record.content)
            else { return nil }
            return ChangeRequestContents(base: base, edited: edited)
        } catch {
            throw isClosed ? .closed : TemplateStoreError(error)
        }
    }

    /// The change requests of a project without their templates, the last changed one first.
    public func changeRequests(
        inProject project: String, date: Date
    ) async throws(TemplateStoreError) -> [StoredChangeRequest] {
        let reading = try await read([
            EtcdRange(keys: keys.changeRequests(inProject: project)),
            EtcdRange(keys: .key(keys.deletedProject(project))),
        ])
        let deleted = try reading.deletedVersion(at: 1)
        var found: [StoredChangeRequest] = []
        for record in try reading.records(0, as: ChangeRequestRecord.self) {
            found.append(try record.entry().stored.seen(at: date, deletedVersion: deleted))
        }
        return found.sorted { $0.updateTime > $1.updateTime }
    }
}

/// The change requests of a project as stored in etcd, without their templates.
private struct EtcdChangeRequests: Sendable {
    /// The records by key.
    let all: [Data: ChangeRequestRecord]
    /// Those that are not to be removed.
    let records: [Data: ChangeRequestRecord]
    private let keys: EtcdKeys
    private let date: Date

    init(_ reading: EtcdReading, keys: EtcdKeys, at date: Date) throws(TemplateStoreError) {
        var all: [Data: ChangeRequestRecord] = [:]
        var records: [Data: ChangeRequestRecord] = [:]
        for found in reading.keyValues(0) {
            let record = try ChangeRequestRecord(decoding: found)
            all[found.key] = record
            if try record.entry().pruned(at: date) != nil { records[found.key] = record }
        }
        self.all = all
        self.records = records
        self.keys = keys
        self.date = date
    }

    func openCount(deletedVersion: Int?) throws(TemplateStoreError) -> Int {
        var count = 0
        for record in records.values {
            let seen = try record.entry().stored.seen(at: date, deletedVersion: deletedVersion)
            if seen.state == .open { count += 1 }
        }
        return count
    }

    /// Maximum size of the records that a write marks, in bytes, beyond the first one: a transaction
    /// can have 1.5 MB.
    private static let mostMarkedBytes = 100_000

    /// The operations that mark and remove requests, except for the one at `excepted`.
    func pruning(
        except excepted: Data, most maximum: Int
    ) throws(TemplateStoreError) -> [EtcdOperation] {
        var operations: [EtcdOperation] = []
        var (count, bytes) = (0, 0)
        for (key, record) in all
        where key != excepted && count < maximum && bytes < Self.mostMarkedBytes {
            let entry = try record.entry()
            let pruned = entry.pruned(at: date)
            if pruned == entry { continue }
            count += 1
            if let pruned {
                let marked = ChangeRequestRecord(
                    pruned, base: record.base, content: record.content)
                let text = try marked.encoded()
                bytes += text.count
                operations.append(.put(key, text))
            } else {
                operations += [
                    .delete(.key(key)), .delete(keys.content(record.base.id)),
                    .delete(keys.content(record.content.id)),
                ]
            }
        }
        return operations
    }
}
