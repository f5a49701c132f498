import ClientAPI
import Foundation
import HTTPServing
package import JSONTree
import TemplateStore

/// A type that has the route of HTTP 3 for the audit trail.
struct AuditRoutes: Sendable {
    /// What does the work.
    let administration: Administration

    /// The routes, for the server's table.
    var routes: [Route] {
        [.get("/v1/projects/{project}/audit", access: RoleAccess(.viewer), handler: list)]
    }

    /// Lists who did what and when, newest first.
    @Sendable
    private func list(_ request: RouteRequest) async throws -> RouteResponse {
        let limit =
            try request.wholeNumber(named: "pageSize", in: 1...TemplateStoreLimits.auditPage) ?? 100
        let before = try request.wholeNumber(named: "pageToken", in: 1...Int.maximumDecimal)
        try await administration.checkExists(request.project)
        let entries = try await entries(
            inProject: request.project, limit: limit,
            before: before.map { StoreRevision(Int64($0)) })
        var body: JSONNode = ["entries": .array(entries.map(\.json))]
        // A store gives no more than a page, so whether there is another has to be asked.
        if entries.count == limit, let last = entries.last,
            try await !self.entries(
                inProject: request.project, limit: 1, before: last.revision
            ).isEmpty
        {
            body.setMember("nextPageToken", .string("\(last.revision)"))
        }
        return .json(body)
    }

    /// Reads a part of the trail.
    private func entries(
        inProject project: String, limit: Int, before: StoreRevision?
    ) async throws(RequestError) -> [AuditEntry] {
        try await administration.callStore("audit", project: project) {
            () throws(TemplateStoreError) in
            try await administration.store.auditEntries(
                inProject: project, matching: AuditQuery(limit: limit, before: before))
        }
    }
}

extension AuditEntry {
    /// The entry as clients get it.
    package var json: JSONNode {
        var node: JSONNode = [
            "revision": .string("\(revision)"), "time": .string(date.timestamp),
            "actor": .string(actor), "action": .string(action.rawValue),
            "subject": .string(subject),
        ]
        node.setMember("detail", detail.map { .string($0) })
        return node
    }
}
