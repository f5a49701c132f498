public import Foundation
public import TemplateStore

// Pinned values and the details of projects.
extension EtcdTemplateStore {
    /// Maximum size of pinned values that are stored with their tag instead of in parts, in bytes.
    static let mostInRecord = 64_000

    /// Pins values for a user, or removes them.
    public func setOverrides(_ change: OverridesChange) async throws(TemplateStoreError) {
        guard let content = change.content, content.count > Self.mostInRecord else {
            let record = change.content.map { OverridesRecord(content: $0) }
            return try await setOverrides(change, record, content: nil)
        }
        try await writing(content) { prepared throws(TemplateStoreError) in
            let record = OverridesRecord(content: content, reference: prepared.reference)
            try await setOverrides(change, record, content: prepared)
        }
    }

    private func setOverrides(
        _ change: OverridesChange, _ record: OverridesRecord?, content: PreparedContent?
    ) async throws(TemplateStoreError) {
        let key = keys.overrides(ofUser: change.userID, inProject: change.project)
        try await write(
            reading: [
                EtcdRange(keys: .key(keys.project(change.project))),
                EtcdRange(keys: .key(key)),
                EtcdRange(keys: keys.overrides(inProject: change.project), part: .count),
                EtcdRange(keys: .key(keys.details(ofProject: change.project))),
            ]
        ) { [keys] reading throws(TemplateStoreError) in
            guard reading.count(0) > 0 else { throw .projectMissing(change.project) }
            try reading.checkIsNotArchived(change.project, detailsAt: 3)
            let current = try reading.records(1, as: OverridesRecord.self).first
            guard change.expectation.isMet(byTag: current?.tag) else {
                throw .overridesMismatch(ofUser: change.userID, inProject: change.project)
            }
            if record == nil, current == nil { return .done(()) }
            if current == nil, reading.count(2) >= TemplateStoreLimits.usersWithOverrides {
                throw .tooManyOverrides(inProject: change.project)
            }
            var write = EtcdWrite<Void>(
                guards: content?.guards ?? [], operations: content?.operations ?? []
            ) { _ in }
            if let record {
                write.operations.append(.put(key, try record.encoded()))
            } else {
                write.operations.append(.delete(.key(key)))
            }
            if let old = current?.reference {
                write.operations.append(.delete(keys.content(old.id)))
            }
            write.change = .init(
                subject: .overrides(project: change.project, userID: change.userID),
                // Values in parts are not known here.
                entry: AuditEntry(
                    of: change, replacing: current?.text,
                    isBeforeKnown: current?.reference == nil, revision: .zero))
            return .write(write)
        }
    }

    /// The pinned values of a user; nil when there are none.
    public func overrides(
        forUserID userID: String, inProject project: String
    ) async throws(TemplateStoreError) -> Data? {
        let key = keys.overrides(ofUser: userID, inProject: project)
        // They may be replaced between the two reads.
        for _ in 0..<3 {
            guard let found = try await read(EtcdRange(keys: .key(key))).keyValues.first else {
                return nil
            }
            let record = try OverridesRecord(decoding: found)
            do throws(EtcdFailure) {
                if let content = try await content(of: record, at: nil) { return content }
            } catch {
                throw isClosed ? .closed : TemplateStoreError(error)
            }
        }
        throw .damagedRecord(key)
    }

    /// The pinned values of a record; nil if their parts no longer exist.
    func content(
        of record: OverridesRecord, at revision: Int64?
    ) async throws(EtcdFailure) -> Data? {
        if let text = record.text { return text }
        guard let reference = record.reference else { return nil }
        return try await content(reference, at: revision)
    }

    /// Replaces the details of a project if the stored ones are as expected.
    public func setProjectDetails(
        _ change: ProjectDetailsChange
    ) async throws(TemplateStoreError) -> StoredProjectDetails {
        let key = keys.details(ofProject: change.project)
        return try await write(
            reading: [
                EtcdRange(keys: .key(keys.project(change.project))), EtcdRange(keys: .key(key)),
            ]
        ) { reading throws(TemplateStoreError) in
            guard reading.count(0) > 0 else { throw .projectMissing(change.project) }
            let current =
                try reading.keyValues(1).first.map(StoredProjectDetails.init(decoding:))
                ?? StoredProjectDetails()
            try change.checkExpectation(current)
            if change.details == current.details { return .done(current) }
            var write = EtcdWrite { revision in
                StoredProjectDetails(change.details, revision: revision)
            }
            write.operations = [.put(key, try DetailsRecord(change.details).encoded())]
            write.change = .init(
                subject: .projectDetails(project: change.project),
                entry: AuditEntry(of: change, revision: .zero))
            return .write(write)
        }
    }

    /// The details of a project; nil when there is no such project.
    public func projectDetails(
        ofProject project: String
    ) async throws(TemplateStoreError) -> StoredProjectDetails? {
        let reading = try await read([
            EtcdRange(keys: .key(keys.project(project)), part: .count),
            EtcdRange(keys: .key(keys.details(ofProject: project))),
        ])
        guard reading.count(0) > 0 else { return nil }
        guard let found = reading.keyValues(1).first else { return StoredProjectDetails() }
        return try StoredProjectDetails(decoding: found)
    }
}

extension OverridesRecord {
    init(content: Data, reference: ContentReference? = nil) {
        self.init(
            text: reference == nil ? content : nil, reference: reference,
            tag: OverridesChange.tag(of: content))
    }
}

extension StoredProjectDetails {
    init(decoding found: EtcdKeyValue) throws(TemplateStoreError) {
        self.init(
            try DetailsRecord(decoding: found).details,
            revision: StoreRevision(found.modRevision))
    }
}
