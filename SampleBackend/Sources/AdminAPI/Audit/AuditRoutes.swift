import ClientAPI
import Foundation
import HTTPServing
import HTTPTypes
package import JSONTree
import TemplateStore

/// The audit-trail route of API 3.
struct AuditRoutes: Sendable {
    let administration: Administration

    var routes: [Route] {
        [.get("/v1/projects/{project}/audit", access: RoleAccess(.viewer), handler: list)]
    }

    /// Lists the entries, newest first.
    @Sendable
    private func list(_ request: RouteRequest) async throws -> RouteResponse {
        let limit =
            try request.wholeNumber(named: "pageSize", in: 1...TemplateStoreLimits.auditPage) ?? 100
        let before = try request.wholeNumber(named: "pageToken", in: 1...Int.maximumDecimal)
        // Entries on the whole server are not for a token that is limited to projects.
        let actions = request.administrator?.projects.map { _ in AuditEntry.Action.ofProjects }
        try await checkHasEntries(request.project)
        let entries = try await entries(
            inProject: request.project, limit: limit,
            before: before.map { StoreRevision(Int64($0)) }, actions: actions)
        var body: JSONNode = ["entries": .array(entries.map(\.json))]
        // The store returns at most one page, so another query determines whether more entries
        // follow.
        if entries.count == limit, let last = entries.last,
            try await !self.entries(
                inProject: request.project, limit: 1, before: last.revision, actions: actions
            ).isEmpty
        {
            body.setMember("nextPageToken", .string("\(last.revision)"))
        }
        return .json(body)
    }

    /// - Throws: A ``RequestError`` with status 404 unless the project exists or was deleted.
    private func checkHasEntries(_ project: String) async throws(RequestError) {
        do throws(RequestError) {
            try await administration.checkExists(project)
        } catch {
            guard error.httpStatus == .notFound,
                try await !entries(
                    inProject: project, limit: 1, before: nil,
                    actions: AuditEntry.Action.ofProjects
                ).isEmpty
            else { throw error }
        }
    }

    private func entries(
        inProject project: String, limit: Int, before: StoreRevision?,
        actions: Set<AuditEntry.Action>?
    ) async throws(RequestError) -> [AuditEntry] {
        try await administration.callStore("audit", project: project) {
            () throws(TemplateStoreError) in
            try await administration.store.auditEntries(
                inProject: project,
                matching: AuditQuery(limit: limit, before: before, actions: actions))
        }
    }
}

extension AuditEntry.Action {
    /// The actions whose entries concern a project.
    fileprivate static let ofProjects = Set(allCases.filter { !$0.isOfServer })
}

extension AuditEntry {
    /// The JSON form of the entry in responses.
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
