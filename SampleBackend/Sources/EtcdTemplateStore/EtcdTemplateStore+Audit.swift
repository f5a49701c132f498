import Foundation
public import TemplateStore

extension EtcdTemplateStore {
    /// The audit trail of a project and the server, newest first.
    public func auditEntries(
        inProject project: String, matching query: AuditQuery
    ) async throws(TemplateStoreError) -> [AuditEntry] {
        let limit = min(max(query.limit, 1), TemplateStoreLimits.auditPage)
        var end = try await read([]).change?.number ?? 0
        if let before = query.before { end = try await numberOfEntries(before: before, among: end) }
        var entries: [AuditEntry] = []
        while end > 0, entries.count < limit {
            let start = max(end - TemplateStoreLimits.auditPage, 0)
            let page = try await read(EtcdRange(keys: keys.audit(start + 1..<end + 1)))
            // Numbers have no gaps, so a gap is damage; searching beyond it could be endless.
            guard !page.keyValues.isEmpty else { throw .damagedRecord(keys.audit(end)) }
            for found in page.keyValues.reversed() where entries.count < limit {
                guard let entry = try AuditRecord(decoding: found).entry(at: found.modRevision),
                    entry.project?.utf8.elementsEqual(project.utf8) ?? true,
                    query.actions?.contains(entry.action) ?? true
                else { continue }
                entries.append(entry)
            }
            end = start
        }
        return entries
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
