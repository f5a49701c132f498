import Foundation
public import TemplateStore

extension EtcdTemplateStore {
    /// The audit trail of a project and the server, newest first.
    public func auditEntries(
        inProject project: String, matching query: AuditQuery
    ) async throws(TemplateStoreError) -> [AuditEntry] {
        try await auditPage(inProject: project, matching: query, searching: .max).entries
    }

    /// Entries of a project and the server, newest first, among the newest `maximum` of all.
    public func auditPage(
        inProject project: String, matching query: AuditQuery, searching maximum: Int
    ) async throws(TemplateStoreError) -> AuditPage {
        let limit = min(max(query.limit, 1), TemplateStoreLimits.auditPage)
        var end = try await read([]).change?.number ?? 0
        if let before = query.before { end = try await numberOfEntries(before: before, among: end) }
        var page = AuditPage()
        while end > 0, page.entries.count < limit, page.searchedCount < maximum {
            let count = min(
                end, TemplateStoreLimits.auditPage, maximum - page.searchedCount)
            let found = try await read(
                EtcdRange(keys: keys.audit(end - count + 1..<end + 1))
            ).keyValues
            // Numbers have no gaps, so a gap is damage; searching beyond it could be endless.
            guard !found.isEmpty else { throw .damagedRecord(keys.audit(end)) }
            var oldest = end - count
            for (index, keyValue) in found.reversed().enumerated() {
                if page.entries.count == limit {
                    oldest = end - index
                    break
                }
                page.searchedCount += 1
                page.next = StoreRevision(keyValue.modRevision)
                let record = try AuditRecord(decoding: keyValue)
                guard let entry = record.entry(at: keyValue.modRevision),
                    entry.project?.utf8.elementsEqual(project.utf8) ?? true,
                    query.actions?.contains(entry.action) ?? true
                else { continue }
                page.entries.append(entry)
            }
            end = oldest
        }
        if end == 0 { page.next = nil }
        return page
    }

    /// The number of entries before a revision, out of `count`; numbers and revisions increase
    /// together.
    private func numberOfEntries(
        before revision: StoreRevision, among count: Int
    ) async throws(TemplateStoreError) -> Int {
        var range = 0...count
        while range.lowerBound < range.upperBound {
            let middle = (range.lowerBound + range.upperBound + 1) / 2
            let found = try await read(
                EtcdRange(keys: .key(keys.audit(middle)), part: .keys)
            ).keyValues.first
            guard let found else { throw .damagedRecord(keys.audit(middle)) }
            if found.modRevision < revision.number {
                range = middle...range.upperBound
            } else {
                range = range.lowerBound...middle - 1
            }
        }
        return range.lowerBound
    }
}
