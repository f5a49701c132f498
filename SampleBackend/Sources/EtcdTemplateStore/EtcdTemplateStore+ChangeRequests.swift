public import Foundation
public import TemplateStore

extension EtcdTemplateStore {
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
        let textKey = keys.changeRequestText(submission.id, inProject: project)
        let owner = owner.id
        return try await write(
            afterDeletionOf: project, recordAt: 4,
            reading: [
                EtcdRange(keys: keys.changeRequests(inProject: project)),
                EtcdRange(keys: .key(textKey)),
                EtcdRange(keys: .key(keys.project(project)), part: .count),
                EtcdRange(keys: .key(keys.details(ofProject: project))),
                EtcdRange(keys: .key(keys.deletedProject(project))),
            ] + keys.receiverRanges(ofProject: project)
        ) { [keys] reading throws(TemplateStoreError) in
            guard reading.count(2) > 0 else { throw .projectMissing(project) }
            try reading.checkIsNotArchived(project, detailsAt: 3)
            let shelf = try EtcdChangeRequests(reading.keyValues(0))
            let known = shelf.records[key]
            let table = ChangeRequestTable(
                shelf.headers, at: submission.date,
                deletedVersion: try reading.deletedVersion(at: 4))
            let change = try table.change(
                by: submission,
                over: try known?.stored(withText: reading.keyValues(1).first, keys: keys))
            guard let baseReference = base?.reference ?? known?.base,
                let reference = edited?.reference ?? known?.content
            else { throw .changeRequestMismatch(submission.id, isThere: false) }
            let record = ChangeRequestRecord(
                change.stored.header, base: baseReference, content: reference)
            var answer = change.stored
            answer.contents = nil
            // The change's number guards what changes have written, but a removal of expired ones is
            // no change.
            let revision =
                reading.keyValues(0).first { $0.key.elementsEqual(key) }?.modRevision ?? 0
            var write = EtcdWrite(
                guards: (base?.guards ?? []) + (edited?.guards ?? [])
                    + [.modified(key, at: revision)],
                operations: (base?.operations ?? []) + (edited?.operations ?? [])
            ) { [answer] _ in answer }
            write.operations += shelf.removal(of: change.removed, keys: keys)
            write.operations += [
                .put(key, try record.encoded()), .put(textKey, change.stored.request.record),
                change.stored.header.dueOperation(keys),
            ]
            if base != nil, let known { write.operations += known.removalOfContents(keys) }
            let receivers = try EtcdReceiver.all(in: reading, from: 5, keys: keys, for: owner)
            try EtcdReceiver.enqueue(
                change.events, date: submission.date.roundedToMilliseconds, for: receivers,
                in: &write, keys: keys)
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
                EtcdRange(keys: .key(key)),
                EtcdRange(keys: .key(keys.changeRequestText(id, inProject: project))),
                EtcdRange(keys: .key(keys.deletedProject(project))),
            ])
            guard let record = try reading.records(0, as: ChangeRequestRecord.self).first else {
                return nil
            }
            var stored = try record.stored(withText: reading.keyValues(1).first, keys: keys)
                .seen(at: date, deletedVersion: try reading.deletedVersion(at: 2))
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

    /// The headers of a project's change requests, the last changed one first.
    public func changeRequests(
        inProject project: String, date: Date
    ) async throws(TemplateStoreError) -> [ChangeRequestHeader] {
        let reading = try await read([
            EtcdRange(keys: keys.changeRequests(inProject: project)),
            EtcdRange(keys: .key(keys.deletedProject(project))),
        ])
        return try reading.changeRequests(
            0, at: date, deletedVersion: try reading.deletedVersion(at: 1)
        ).sorted(by: ChangeRequestHeader.isListedBefore)
    }

    /// The headers of the change requests of all projects whose schedules wait for a time.
    public func scheduledChangeRequests(
        date: Date
    ) async throws(TemplateStoreError) -> [ChangeRequestHeader] {
        let due: [EtcdKeyValue]
        do throws(EtcdFailure) {
            due = try await readAll(keys.allDue)
        } catch {
            throw isClosed ? .closed : TemplateStoreError(error)
        }
        if due.isEmpty { return [] }
        let deleted = try await deletedVersions()
        var names = due.compactMap { keys.names(in: $0.key) }.filter { $0.count == 2 }[...]
        var headers: [ChangeRequestHeader] = []
        while !names.isEmpty {
            let part = names.prefix(Self.mostRead)
            names = names.dropFirst(part.count)
            let reading = try await read(
                part.map { EtcdRange(keys: .key(keys.changeRequest($0[1], inProject: $0[0]))) })
            // A damaged one is reported where it is read, and stops no other.
            headers += (0..<part.count).flatMap { reading.keyValues($0) }
                .compactMap { try? ChangeRequestRecord(decoding: $0).header() }
        }
        return headers.map { $0.seen(at: date, deletedVersion: deleted[$0.project]) }
            .filter { $0.dueDate != nil }.sorted(by: ChangeRequestHeader.isDueBefore)
    }

    /// Maximum number of keys that one transaction reads here; it can have 128 operations.
    private static let mostRead = 100

    /// Maximum number of requests that one write marks or removes; a transaction can have 128
    /// operations, and a removal takes five.
    private static let mostExpired = 20

    /// Marks, expires and removes the change requests of all projects that nobody changed for long.
    public func removeExpiredChangeRequests(at date: Date) async throws(TemplateStoreError) {
        let found: [EtcdKeyValue]
        do throws(EtcdFailure) {
            found = try await readAll(keys.allChangeRequests)
        } catch {
            throw isClosed ? .closed : TemplateStoreError(error)
        }
        // A damaged one is reported where it is read, and keeps no others from their removal.
        let headers = found.compactMap { try? ChangeRequestRecord(decoding: $0).header() }
        let deleted = try await deletedVersions()
        let aging = ChangeRequestTable.aging(of: headers, at: date) { deleted[$0] }
        var failure: TemplateStoreError?
        for header in aging.expired {
            do throws(TemplateStoreError) {
                try await expire(header, at: date)
            } catch {
                // Damage in one project keeps no other request from its expiry.
                guard error.code == .damaged else { throw error }
                failure = failure ?? error
            }
        }
        var rest = (aging.removed + aging.marked)[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.mostExpired)
            rest = rest.dropFirst(part.count)
            try await removeExpired(Array(part), at: date, deleted)
        }
        if let failure { throw failure }
    }

    /// The last versions of all deleted projects.
    private func deletedVersions() async throws(TemplateStoreError) -> [String: Int] {
        var versions: [String: Int] = [:]  // names: names of projects are ASCII
        for found in try await read(EtcdRange(keys: keys.deleted)).keyValues {
            guard let project = keys.names(in: found.key)?.first else { continue }
            versions[project] = try DeletedProjectRecord(decoding: found).version
        }
        return versions
    }

    /// Records the expiry of a request, unless it has changed since.
    private func expire(
        _ header: ChangeRequestHeader, at date: Date
    ) async throws(TemplateStoreError) {
        let project = header.project
        let key = keys.changeRequest(header.id, inProject: project)
        let textKey = keys.changeRequestText(header.id, inProject: project)
        let owner = owner.id
        try await write(
            reading: [
                EtcdRange(keys: .key(key)), EtcdRange(keys: .key(textKey)),
                EtcdRange(keys: .key(keys.deletedProject(project))),
            ] + keys.receiverRanges(ofProject: project)
        ) { [keys] reading throws(TemplateStoreError) -> EtcdDecision<Void> in
            guard let found = reading.keyValues(0).first else { return .done(()) }
            let known = try ChangeRequestRecord(decoding: found)
            let deleted = try reading.deletedVersion(at: 2)
            let aging = ChangeRequestTable.aging(of: [try known.header()], at: date) { _ in deleted
            }
            // A damaged one is reported where it is read, and keeps no others from their expiry.
            let stored = try? known.stored(withText: reading.keyValues(1).first, keys: keys)
            guard let header = aging.expired.first, let stored else { return .done(()) }
            let record = ChangeRequestRecord(header, base: known.base, content: known.content)
            var write = EtcdWrite<Void>(
                guards: [.modified(key, at: found.modRevision)],
                operations: [.put(key, try record.encoded()), header.dueOperation(keys)]
            ) { _ in }
            let receivers = try EtcdReceiver.all(in: reading, from: 3, keys: keys, for: owner)
            try EtcdReceiver.enqueue(
                [.changeRequest(step: ChangeRequestStep(expiryOf: stored))],
                date: date.roundedToMilliseconds, for: receivers, in: &write, keys: keys)
            write.change = .init(
                subject: .changeRequest(project: project, id: header.id),
                entry: AuditEntry(ofExpired: stored, date: date, revision: .zero))
            return .write(write)
        }
    }

    private func removeExpired(
        _ headers: [ChangeRequestHeader], at date: Date,
        _ deletedVersions: [String: Int]  // names: names of projects are ASCII
    ) async throws(TemplateStoreError) {
        try await write(
            reading: headers.map {
                EtcdRange(keys: .key(keys.changeRequest($0.id, inProject: $0.project)))
            }
        ) { [keys] reading throws(TemplateStoreError) -> EtcdDecision<Void> in
            let found = headers.indices.flatMap { reading.keyValues($0) }
            let shelf = try EtcdChangeRequests(found)
            let aging = ChangeRequestTable.aging(of: shelf.headers, at: date) {
                deletedVersions[$0]
            }
            var write = EtcdWrite(
                guards: found.map { .modified($0.key, at: $0.modRevision) },
                operations: shelf.removal(of: aging.removed, keys: keys)
            ) { _ in }
            for header in aging.marked {
                let key = keys.changeRequest(header.id, inProject: header.project)
                guard let known = shelf.records[key] else { continue }
                let marked = ChangeRequestRecord(
                    header, base: known.base, content: known.content)
                write.operations.append(.put(key, try marked.encoded()))
            }
            return write.operations.isEmpty ? .done(()) : .write(write)
        }
    }
}

/// Change requests as stored in etcd, without texts and templates.
private struct EtcdChangeRequests: Sendable {
    /// The records by key.
    let records: [Data: ChangeRequestRecord]
    let headers: [ChangeRequestHeader]

    init(_ found: [EtcdKeyValue]) throws(TemplateStoreError) {
        var records: [Data: ChangeRequestRecord] = [:]
        var headers: [ChangeRequestHeader] = []
        for found in found {
            let record = try ChangeRequestRecord(decoding: found)
            records[found.key] = record
            headers.append(try record.header())
        }
        (self.records, self.headers) = (records, headers)
    }

    /// The operations that remove requests with their texts and templates.
    func removal(of headers: [ChangeRequestHeader], keys: EtcdKeys) -> [EtcdOperation] {
        headers.flatMap { header -> [EtcdOperation] in
            let key = keys.changeRequest(header.id, inProject: header.project)
            let text = keys.changeRequestText(header.id, inProject: header.project)
            let due = keys.dueChangeRequest(header.id, inProject: header.project)
            return [.delete(.key(key)), .delete(.key(text)), .delete(.key(due))]
                + (records[key]?.removalOfContents(keys) ?? [])
        }
    }
}

extension ChangeRequestHeader {
    /// The operation that lists a request by its next time, or removes it from that list.
    func dueOperation(_ keys: EtcdKeys) -> EtcdOperation {
        let key = keys.dueChangeRequest(id, inProject: project)
        return dueDate == nil ? .delete(.key(key)) : .put(key, Data())
    }
}

extension EtcdReading {
    /// The headers of the change requests in a range, as seen at a time.
    func changeRequests(
        _ place: Int, at date: Date, deletedVersion: Int?
    ) throws(TemplateStoreError) -> [ChangeRequestHeader] {
        try EtcdChangeRequests(keyValues(place)).headers
            .map { $0.seen(at: date, deletedVersion: deletedVersion) }
    }
}

extension ChangeRequestRecord {
    /// The request without its templates, given the key of its texts, which is nil when missing.
    func stored(
        withText text: EtcdKeyValue?, keys: EtcdKeys
    ) throws(TemplateStoreError) -> StoredChangeRequest {
        guard let text else {
            throw .damagedRecord(keys.changeRequestText(id, inProject: project))
        }
        return StoredChangeRequest(
            header: try header(), request: try ChangeRequest(record: text.value))
    }

    fileprivate func removalOfContents(_ keys: EtcdKeys) -> [EtcdOperation] {
        [.delete(keys.content(base.id)), .delete(keys.content(content.id))]
    }
}
