import Foundation
package import TemplateStore
import Templates

extension EtcdTemplateStore: ArchivingStore {
    /// Opens the content at the current revision, which etcd must keep until the content is read.
    package func openArchive() async throws(TemplateStoreError) -> any StoreArchive {
        let reading = try await read([EtcdRange(keys: keys.deleted)])
        return EtcdArchive(
            store: self, readRevision: reading.revision,
            revision: StoreRevision(reading.changeRevision),
            changeCount: reading.change?.number ?? 0,
            uncleared: Set(try reading.unclearedProjects(0, keys).map { Data($0.utf8) }))
    }
}

/// The content of a store at one revision of the cluster.
private struct EtcdArchive: StoreArchive {
    let store: EtcdTemplateStore
    /// The revision of the cluster at which everything is read.
    let readRevision: Int64
    let revision: StoreRevision
    let changeCount: Int
    /// The deleted projects of which content remains; it is not part of the archive.
    let uncleared: Set<Data>

    /// Whether a project is deleted, although content of it remains.
    private func isDeleted(_ project: String?) -> Bool {
        project.map { uncleared.contains(Data($0.utf8)) } ?? false
    }

    func read(
        _ receive: (ArchivedRecord) async throws(TemplateStoreError) -> Void
    ) async throws(TemplateStoreError) {
        let keys = store.keys
        try await readChanges(receive)
        try await forEachKey(in: keys.allOverrides) { found throws(TemplateStoreError) in
            let names = keys.names(in: found.key) ?? []
            if isDeleted(names.first) { return }
            let record = try OverridesRecord(decoding: found)
            guard names.count == 2,
                let content = try await content(record.reference, or: record.text)
            else { throw .damagedRecord(found.key) }
            try await receive(
                .overrides(project: names[0], userID: names[1], content: content))
        }
        try await readTokens(receive)
        try await forEachKey(in: keys.sessions) { found throws(TemplateStoreError) in
            guard let session = try SessionRecord(decoding: found).session else {
                throw .unknownRecord("a session")
            }
            try await receive(.session(session))
        }
        try await readWebhooks(receive)
        try await forEachKey(in: keys.allChangeRequests) { found throws(TemplateStoreError) in
            try await receive(.changeRequest(try await changeRequest(found)))
        }
        try await forEachKey(in: keys.allDrafts) { found throws(TemplateStoreError) in
            if isDeleted(keys.names(in: found.key)?.last) { return }
            let record = try DraftRecord(decoding: found)
            guard let content = try await content(record.content) else {
                throw .damagedRecord(found.key)
            }
            let notice = record.expiryNotice?.date
            try await receive(
                .draft(
                    DraftTable.Entry(
                        draft: record.draft(content: content), expiryNoticeDate: notice)))
        }
    }

    private func changeRequest(
        _ found: EtcdKeyValue
    ) async throws(TemplateStoreError) -> StoredChangeRequest {
        let record = try ChangeRequestRecord(decoding: found)
        let header = try record.header()
        let text = store.keys.changeRequestText(header.id, inProject: header.project)
        var stored = try record.stored(
            withText: try await allKeys(in: .key(text)).first, keys: store.keys)
        guard let base = try await content(record.base),
            let edited = try await content(record.content)
        else { throw .damagedRecord(found.key) }
        stored.contents = ChangeRequestContents(base: base, edited: edited)
        return stored
    }

    /// Reads the audit trail, each entry with the version or details of its revision.
    private func readChanges(
        _ receive: (ArchivedRecord) async throws(TemplateStoreError) -> Void
    ) async throws(TemplateStoreError) {
        let keys = store.keys
        var versions: [Int64: (project: String, record: VersionRecord)] = [:]
        try await forEachKey(in: keys.allVersions) { found throws(TemplateStoreError) in
            guard let project = keys.names(in: found.key)?.first else {
                throw .damagedRecord(found.key)
            }
            if isDeleted(project) { return }
            versions[found.modRevision] = (project, try VersionRecord(decoding: found))
        }
        var details: [Int64: ArchivedContent] = [:]
        try await forEachKey(in: keys.details) { found throws(TemplateStoreError) in
            guard let project = keys.names(in: found.key)?.first else {
                throw .damagedRecord(found.key)
            }
            details[found.modRevision] = .details(
                try DetailsRecord(decoding: found).details, project: project)
        }
        try await forEachPage(in: keys.allAudit) { page throws(TemplateStoreError) in
            var contents = ContentBatches(
                page.compactMap { versions[$0.modRevision]?.record.content })
            for found in page {
                guard let entry = try AuditRecord(decoding: found).entry(at: found.modRevision)
                else { throw .unknownRecord("an entry of the audit trail") }
                var archived = details.removeValue(forKey: found.modRevision)
                if let version = versions.removeValue(forKey: found.modRevision) {
                    guard let content = try await next(of: &contents) else {
                        throw .damagedRecord(
                            keys.version(version.record.number, ofProject: version.project))
                    }
                    archived = .template(
                        StoredTemplate(
                            project: version.project, version: version.record.version,
                            content: content, revision: entry.revision))
                }
                try await receive(.change(entry, archived))
            }
        }
        guard versions.isEmpty, details.isEmpty else { throw .incompleteTrail }
    }

    private func readTokens(
        _ receive: (ArchivedRecord) async throws(TemplateStoreError) -> Void
    ) async throws(TemplateStoreError) {
        var uses: [String: RecordDate] = [:]  // names: IDs of tokens are made here
        try await forEachKey(in: .key(store.keys.uses)) { found throws(TemplateStoreError) in
            uses = try UsesRecord(decoding: found).dates
        }
        for found in try await allKeys(in: store.keys.tokens) {
            let record = try TokenRecord(decoding: found)
            guard let token = record.token(lastUse: uses[record.id]) else {
                throw .unknownRecord("a token")
            }
            try await receive(.token(token))
        }
    }

    private func readWebhooks(
        _ receive: (ArchivedRecord) async throws(TemplateStoreError) -> Void
    ) async throws(TemplateStoreError) {
        let keys = store.keys
        for found in try await allKeys(in: keys.allWebhooks) {
            let record = try WebhookRecord(decoding: found)
            let webhook = record.webhook
            var entries: [WebhookQueue.Entry] = []
            for span in [
                keys.pending(ofWebhook: webhook.id, inProject: webhook.project),
                keys.finished(ofWebhook: webhook.id, inProject: webhook.project),
            ] {
                try await forEachKey(in: span) { found throws(TemplateStoreError) in
                    let record = try DeliveryRecord(decoding: found)
                    entries.append(
                        .init(
                            position: try keys.deliveryPosition(found.key),
                            delivery: record.delivery, claim: record.claim))
                }
            }
            let queue = WebhookQueue(
                webhook: webhook, knownVersion: record.knownVersion,
                lastPublish: record.lastPublish,
                entries: entries.sorted { $0.position < $1.position })
            try await receive(.webhook(queue.withoutClaims))
        }
    }

    /// The keys of a small span, in order of creation.
    private func allKeys(
        in span: EtcdKeySpan
    ) async throws(TemplateStoreError) -> [EtcdKeyValue] {
        var found: [EtcdKeyValue] = []
        try await forEachKey(in: span) { found.append($0) }
        return found.sorted { $0.createRevision < $1.createRevision }
    }

    /// Reads the keys of a span.
    private func forEachKey(
        in span: EtcdKeySpan,
        _ receive: (EtcdKeyValue) async throws(TemplateStoreError) -> Void
    ) async throws(TemplateStoreError) {
        try await forEachPage(in: span) { page throws(TemplateStoreError) in
            for found in page { try await receive(found) }
        }
    }

    /// Reads the keys of a span, a few hundred at a time.
    private func forEachPage(
        in span: EtcdKeySpan,
        _ receive: ([EtcdKeyValue]) async throws(TemplateStoreError) -> Void
    ) async throws(TemplateStoreError) {
        var range = EtcdRange(keys: span, limit: 500, revision: readRevision)
        while true {
            let page = try await store.read(range)
            try await receive(page.keyValues)
            guard page.hasMore, let last = page.keyValues.last else { return }
            range.keys = EtcdKeySpan(start: last.key + Data([0]), end: span.end)
        }
    }

    /// The next of several contents; nil if it no longer exists.
    private func next(of contents: inout ContentBatches) async throws(TemplateStoreError) -> Data? {
        if let known = contents.next() { return known }
        let batch = contents.nextBatch()
        guard let first = batch.first else { return nil }
        guard batch.count > 1 else { return try await content(first) }
        let reading = try await store.read(
            batch.map { EtcdRange(keys: store.keys.content($0.id), revision: readRevision) })
        contents.add(
            batch.enumerated().map { place, reference in
                let parts = reading.keyValues(place)
                let content = parts.reduce(into: Data()) { $0 += $1.value }
                return reference.isWhole(content, parts: parts.count) ? content : nil
            })
        return contents.next() ?? nil
    }

    private func content(
        _ reference: ContentReference?, or text: Data? = nil
    ) async throws(TemplateStoreError) -> Data? {
        if let text { return text }
        guard let reference else { return nil }
        do throws(EtcdFailure) {
            return try await store.content(reference, at: readRevision)
        } catch {
            throw store.isClosed ? .closed : TemplateStoreError(error)
        }
    }
}

/// Contents that are read in order; small ones are batched into one request.
private struct ContentBatches {
    /// Maximum size of a batch.
    private static let (mostContents, mostBytes) = (100, 2_000_000)

    private var references: ArraySlice<ContentReference>
    /// Contents that were read but not returned yet; nil for those that no longer exist.
    private var read: ArraySlice<Data?> = []

    init(_ references: [ContentReference]) { self.references = references[...] }

    /// The next content that was read; nil when the next batch must be read first.
    mutating func next() -> Data?? { read.popFirst() }

    /// The next contents to read together; a large one alone.
    mutating func nextBatch() -> [ContentReference] {
        var bytes = 0
        let batch = references.prefix(Self.mostContents).prefix { reference in
            defer { bytes += reference.size }
            return bytes == 0 || reference.size <= Self.mostBytes - bytes
        }
        references.removeFirst(batch.count)
        return Array(batch)
    }

    mutating func add(_ contents: [Data?]) { read += contents }
}
