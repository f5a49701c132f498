public import Foundation
public import TemplateStore

extension EtcdTemplateStore {
    /// Maximum number of expired drafts that one write marks or removes; a transaction can have 128
    /// operations.
    private static let mostPruned = 30

    /// Creates or replaces a draft if the stored one is as expected.
    public func saveDraft(
        _ submission: DraftSubmission
    ) async throws(TemplateStoreError) -> StoredDraft {
        let key = keys.draft(ofOwner: submission.owner, inProject: submission.project)
        let details = keys.details(ofProject: submission.project)
        let deleted = keys.deletedProject(submission.project)
        return try await writing(submission.content) { content throws(TemplateStoreError) in
            try await write(
                afterDeletionOf: submission.project, recordAt: 2,
                reading: [
                    EtcdRange(keys: keys.allDrafts), EtcdRange(keys: .key(details)),
                    EtcdRange(keys: .key(deleted)),
                ]
            ) { [keys] reading throws(TemplateStoreError) in
                try reading.checkIsNotArchived(submission.project, detailsAt: 1)
                let shelf = try EtcdDrafts(reading, changing: key)
                var table = shelf.table
                let draft = try table.save(submission)
                var write = EtcdWrite(guards: content.guards, operations: content.operations) {
                    _ in draft
                }
                try shelf.add(
                    table, to: &write, keys: keys, except: key, mostPruned: Self.mostPruned)
                write.guards += [
                    .modified(key, at: shelf.revision(of: key)),
                    // Fails if the project is archived or deleted between the read and this write.
                    .modified(details, at: reading.keyValues(1).first?.modRevision ?? 0),
                    .modified(deleted, at: reading.keyValues(2).first?.modRevision ?? 0),
                ]
                write.operations.append(
                    .put(key, try DraftRecord(draft, content: content.reference).encoded()))
                if let old = shelf.records[key]?.content {
                    write.operations.append(.delete(keys.content(old.id)))
                }
                write.witness = .init(key: key) { found in
                    found.flatMap { try? DraftRecord(decoding: $0) }?.tag == draft.tag
                }
                return .write(write)
            }
        }
    }

    /// The draft of an administrator in a project; nil when there is none or it has expired.
    public func draft(
        ofOwner owner: String, inProject project: String, date: Date
    ) async throws(TemplateStoreError) -> StoredDraft? {
        let key = keys.draft(ofOwner: owner, inProject: project)
        // The draft may be replaced between the two reads.
        for _ in 0..<3 {
            guard let found = try await read(EtcdRange(keys: .key(key))).keyValues.first else {
                return nil
            }
            let record = try DraftRecord(decoding: found)
            let table = DraftTable([.init(draft: record.draft(content: Data()))])
            if table.draft(ofOwner: owner, inProject: project, date: date) == nil { return nil }
            do throws(EtcdFailure) {
                if let content = try await content(record.content) {
                    return record.draft(content: content)
                }
            } catch {
                throw isClosed ? .closed : TemplateStoreError(error)
            }
        }
        throw .damagedRecord(key)
    }

    /// Removes a draft; false when there is none.
    public func removeDraft(
        ofOwner owner: String, inProject project: String,
        expecting expectation: StateExpectation, date: Date
    ) async throws(TemplateStoreError) -> Bool {
        let key = keys.draft(ofOwner: owner, inProject: project)
        return try await write(reading: [EtcdRange(keys: keys.allDrafts)]) {
            [keys] reading throws(TemplateStoreError) in
            let shelf = try EtcdDrafts(reading, changing: key)
            var table = shelf.table
            let isThere = try table.remove(
                ofOwner: owner, inProject: project, expecting: expectation, date: date)
            var write = EtcdWrite { _ in isThere }
            try shelf.add(table, to: &write, keys: keys, mostPruned: Self.mostPruned)
            if isThere {
                // The draft that was read is gone, even if another one was begun since. Repeated,
                // the removal would find no draft, or remove that other one.
                write.witness = .init(key: key, isAmbiguous: true) { found in
                    (found?.createRevision ?? .max) > reading.revision
                }
            }
            return write.operations.isEmpty ? .done(isThere) : .write(write)
        }
    }
}

/// All readable drafts as stored in etcd, without their content.
private struct EtcdDrafts: Sendable {
    let records: [Data: DraftRecord]
    private let revisions: [Data: Int64]
    let table: DraftTable

    /// Reads the drafts; a damaged one affects only changes of itself, at `key`.
    init(_ reading: EtcdReading, changing key: Data) throws(TemplateStoreError) {
        var records: [Data: DraftRecord] = [:]
        var revisions: [Data: Int64] = [:]
        for found in reading.keyValues(0) {
            do throws(TemplateStoreError) {
                records[found.key] = try DraftRecord(decoding: found)
            } catch {
                // names: keys of our own
                if found.key == key { throw error }
                continue
            }
            revisions[found.key] = found.modRevision
        }
        self.records = records
        self.revisions = revisions
        table = DraftTable(
            records.values.map { record in
                DraftTable.Entry(
                    draft: record.draft(content: Data()),
                    expiryNoticeDate: record.expiryNotice?.date)
            })
    }

    func revision(of key: Data) -> Int64 { revisions[key] ?? 0 }

    /// Adds operations to a write that change the drafts to those of another table, except for the
    /// draft at `excepted`.
    func add<Result>(
        _ changed: DraftTable, to write: inout EtcdWrite<Result>, keys: EtcdKeys,
        except excepted: Data? = nil, mostPruned: Int
    ) throws(TemplateStoreError) {
        var left = records
        var count = 0
        for entry in changed.all {
            let key = keys.draft(ofOwner: entry.draft.owner, inProject: entry.draft.project)
            guard var record = left.removeValue(forKey: key), key != excepted else { continue }
            let notice = entry.expiryNoticeDate.map(RecordDate.init)
            guard record.expiryNotice != notice, count < mostPruned else { continue }
            count += 1
            record.expiryNotice = notice
            write.guards.append(.modified(key, at: revision(of: key)))
            write.operations.append(.put(key, try record.encoded()))
        }
        for (key, record) in left where key != excepted && count < mostPruned {
            count += 1
            write.guards.append(.modified(key, at: revision(of: key)))
            write.operations += [.delete(.key(key)), .delete(keys.content(record.content.id))]
        }
    }
}
