import Foundation
package import TemplateStore
import Templates

extension EtcdTemplateStore {
    /// Starts to fill this store, and marks it as incomplete in its record, so that all processes
    /// with the store open stop writing.
    package func beginFilling() async throws(TemplateStoreError) -> any ArchiveWriter {
        let found = try await read(EtcdRange(keys: keys.all, part: .count))
        // Only the record of the store itself may exist.
        guard found.count == 1 else { throw .notEmpty("\(gateway.location)") }
        var record = try await identity().record
        record.isIncomplete = true
        try await replaceStoreRecord(by: record)
        return EtcdArchiveWriter(store: self)
    }

    /// Replaces the record of the store; only this handle knows the new one.
    fileprivate func replaceStoreRecord(
        by record: StoreRecord
    ) async throws(TemplateStoreError) {
        let value = try record.encoded()
        let revision = try await write(reading: []) { [keys] _ throws(TemplateStoreError) in
            var write = EtcdWrite(operations: [.put(keys.store, value)]) {
                $0.number
            }
            write.witness = .init(key: keys.store) { found in
                guard let stored = found.flatMap({ try? StoreRecord(decoding: $0) }) else {
                    return false
                }
                return stored.id == record.id && stored.isIncomplete == record.isIncomplete
            }
            return .write(write)
        }
        adopt(Identity(record: record, revision: revision, value: value))
    }
}

/// Stores records in etcd.
///
/// Each change has its own transaction, so that it has its own revision; most other records are
/// batched.
private actor EtcdArchiveWriter: ArchiveWriter {
    /// Maximum size of one transaction.
    private static let (mostOperations, mostBytes) = (100, 400_000)

    private let store: EtcdTemplateStore
    private var pending: [EtcdOperation] = []
    /// Approximate size of the pending values, in bytes.
    private var size = 0
    private var uses = UsesRecord()
    /// The last versions of deleted projects.
    private var deletedVersions: [String: Int] = [:]  // names: names of projects are ASCII
    private var versionFloor = 0

    private var keys: EtcdKeys { store.keys }

    init(store: EtcdTemplateStore) { self.store = store }

    func write(_ record: ArchivedRecord) async throws(TemplateStoreError) {
        switch record {
        case .change(let entry, let content): try await write(entry, content)
        case .overrides(let project, let userID, let content):
            let key = keys.overrides(ofUser: userID, inProject: project)
            guard content.count > EtcdTemplateStore.mostInRecord else {
                return try await add(key, try OverridesRecord(content: content).encoded())
            }
            try await write(content) { reference throws(TemplateStoreError) in
                [
                    .put(
                        key, try OverridesRecord(content: content, reference: reference).encoded())
                ]
            }
        case .token(let token):
            uses.dates[token.id] = token.lastUseDate.map(RecordDate.init)
            try await add(keys.token(token.id), try TokenRecord(token).encoded())
            // The order of tokens is their order of creation.
            try await flushPending()
        case .session(let session):
            try await add(
                keys.session(session.id, ofToken: session.tokenID),
                try SessionRecord(session).encoded())
        case .webhook(let queue): try await write(queue)
        case .changeRequest(let request): try await write(request)
        case .draft(let entry):
            let draft = entry.draft
            try await write(draft.content) { [keys] reference throws(TemplateStoreError) in
                var record = DraftRecord(draft, content: reference)
                record.expiryNotice = entry.expiryNoticeDate.map(RecordDate.init)
                let key = keys.draft(ofOwner: draft.owner, inProject: draft.project)
                return [.put(key, try record.encoded())]
            }
        }
    }

    func flush() async throws(TemplateStoreError) {
        if !uses.dates.isEmpty { try await add(keys.uses, try uses.encoded()) }
        try await flushPending()
    }

    func complete() async throws(TemplateStoreError) {
        var record = try await store.identity().record
        record.isIncomplete = nil
        try await store.replaceStoreRecord(by: record)
    }

    private func write(
        _ entry: AuditEntry, _ content: ArchivedContent?
    ) async throws(TemplateStoreError) {
        let change = EtcdWrite<Void>.Change(subject: entry.changeSubject, entry: entry)
        if let floor = try entry.versionFloor {
            versionFloor = floor
            let record = try FloorRecord(version: floor).encoded()
            return try await write([.put(keys.floor, record)], change)
        }
        if try await writeProject(of: entry, content, change) { return }
        switch content {
        case .template(let template):
            let version = template.version
            let project = template.project
            try await write(template.content, change) {
                [keys] reference throws(TemplateStoreError) in
                let record = try VersionRecord(version, content: reference).encoded()
                return [
                    .put(keys.version(version.number, ofProject: project), record),
                    .put(keys.project(project), record),
                ]
            }
        case .details(let details, let project):
            let key = keys.details(ofProject: project)
            try await write([.put(key, try DetailsRecord(details).encoded())], change)
        case nil: try await write([], change)
        }
    }

    /// Creates or deletes the project of an audit entry, with its change; false for other entries.
    private func writeProject(
        of entry: AuditEntry, _ content: ArchivedContent?, _ change: EtcdWrite<Void>.Change
    ) async throws(TemplateStoreError) -> Bool {
        guard let project = entry.project else { return false }
        if let version = entry.deletedVersion {
            deletedVersions[project] = version
            let record = DeletedProjectRecord(version: version, isCleared: true)
            try await write(
                [
                    .delete(.key(keys.project(project))),
                    .delete(.key(keys.createdProject(project))),
                    .put(keys.deletedProject(project), try record.encoded()),
                ], change)
            return true
        }
        guard
            let template = entry.createdTemplate(
                after: deletedVersions[project], floor: versionFloor)
        else { return false }
        var operations: [EtcdOperation] = []
        if case .details(let details, _) = content {
            let record = try DetailsRecord(details).encoded()
            operations = [.put(keys.details(ofProject: project), record)]
        }
        try await write(template.content, change) {
            [keys, operations] reference throws(TemplateStoreError) in
            let record = try VersionRecord(template.version, content: reference).encoded()
            return [
                .put(keys.project(project), record), .put(keys.createdProject(project), record),
            ] + operations
        }
        return true
    }

    private func write(_ stored: StoredChangeRequest) async throws(TemplateStoreError) {
        guard let contents = stored.contents else { throw .unknownRecord("a change request") }
        let store = store
        try await store.writing(contents.base) { base throws(TemplateStoreError) in
            try await store.writing(contents.edited) { edited throws(TemplateStoreError) in
                let record = ChangeRequestRecord(
                    stored.header, base: base.reference, content: edited.reference)
                try await write(
                    base.operations + edited.operations + [
                        .put(
                            keys.changeRequest(stored.id, inProject: stored.project),
                            try record.encoded()),
                        .put(
                            keys.changeRequestText(stored.id, inProject: stored.project),
                            stored.request.record),
                        stored.header.dueOperation(keys),
                    ], guards: base.guards + edited.guards)
            }
        }
    }

    private func write(_ queue: WebhookQueue) async throws(TemplateStoreError) {
        let webhook = queue.webhook
        // The order of webhooks is their order of creation.
        try await flushPending()
        try await add(
            keys.webhook(webhook.id, inProject: webhook.project),
            try WebhookRecord(
                webhook, knownVersion: queue.knownVersion, lastPublish: queue.lastPublish
            ).encoded())
        for entry in queue.entries {
            let delivery = entry.delivery
            let key =
                delivery.state == .pending
                ? keys.pending(
                    entry.position, ofWebhook: webhook.id, inProject: webhook.project)
                : keys.finished(
                    entry.position, ofWebhook: webhook.id, inProject: webhook.project)
            try await add(key, try DeliveryRecord(delivery, claim: nil).encoded())
        }
        try await flushPending()
    }

    /// Stores a content together with the operations that need its reference.
    private func write(
        _ content: Data, _ change: EtcdWrite<Void>.Change? = nil,
        _ operations: @Sendable (ContentReference) throws(TemplateStoreError) -> [EtcdOperation]
    ) async throws(TemplateStoreError) {
        let store = store
        try await store.writing(content) { prepared throws(TemplateStoreError) in
            try await write(
                prepared.operations + operations(prepared.reference), change,
                guards: prepared.guards)
        }
    }

    private func write(
        _ operations: [EtcdOperation], _ change: EtcdWrite<Void>.Change? = nil,
        guards: [EtcdComparison] = []
    ) async throws(TemplateStoreError) {
        try await store.write(reading: []) { _ throws(TemplateStoreError) in
            var write = EtcdWrite<Void>(guards: guards, operations: operations) { _ in }
            write.change = change
            return .write(write)
        }
    }

    /// Stores a value later, together with others.
    private func add(_ key: Data, _ value: Data) async throws(TemplateStoreError) {
        if pending.count >= Self.mostOperations || size + value.count > Self.mostBytes {
            try await flushPending()
        }
        pending.append(.put(key, value))
        size += key.count + value.count
    }

    private func flushPending() async throws(TemplateStoreError) {
        if pending.isEmpty { return }
        let operations = pending
        (pending, size) = ([], 0)
        try await write(operations)
    }
}

extension TemplateStoreError {
    static func incompleteEtcdCopy(_ location: EtcdLocation) -> TemplateStoreError {
        .incompleteCopy(
            "\(location)",
            advice: "remove its keys with \"etcdctl del --prefix \(location.prefix)\"")
    }
}
