import Foundation
import JSONTree
import TemplateStore

/// A type that has the route of HTTP 3 for the audit trail.
struct AuditRoutes: Sendable {
    /// What does the work.
    let administration: Administration

    /// The routes, for the server's table.
    var routes: [Route] {
        [.get("/v1/projects/{project}/audit", access: .administrator(.viewer), handler: list)]
    }

    /// Lists who did what and when, newest first.
    @Sendable
    private func list(_ request: RouteRequest) async throws -> RouteResponse {
        let limit = try request.wholeNumber(named: "pageSize", in: 1...1_000) ?? 100
        let before = try request.wholeNumber(named: "pageToken", in: 1...Int.max)
        let query = AuditQuery(
            limit: limit + 1, before: before.map { StoreRevision(Int64($0)) })
        try await administration.checkExists(request.project)
        let entries = try await administration.callStore("audit", project: request.project) {
            () throws(TemplateStoreError) in
            try await administration.store.auditEntries(
                inProject: request.project, matching: query)
        }
        var body: JSONNode = ["entries": .array(entries.prefix(limit).map(\.json))]
        if entries.count > limit {
            body.setMember("nextPageToken", .string("\(entries[limit - 1].revision)"))
        }
        return .json(body)
    }
}

extension AuditEntry {
    /// The entry as clients get it.
    var json: JSONNode {
        var node: JSONNode = [
            "revision": .string("\(revision)"), "time": .string(date.timestamp),
            "actor": .string(actor), "action": .string(action.rawValue),
            "subject": .string(subject),
        ]
        node.setMember("detail", detail.map { .string($0) })
        return node
    }
}
