import ClientAPI
import Foundation
import HTTPServing
import HTTPTypes
package import JSONTree
import TemplateStore

/// The audit-trail route of API 3.
struct AuditRoutes: Sendable {
    /// Maximum number of entries that the store reads for one answer.
    ///
    /// The trail only grows, so a search for something rare continues with the next page.
    static let maximumSearched = 10 * TemplateStoreLimits.auditPage

    let administration: Administration

    var routes: [Route] {
        [.get("/v1/projects/{project}/audit", access: RoleAccess(.viewer), handler: list)]
    }

    /// Lists the entries that a search finds, newest first.
    @Sendable
    private func list(_ request: RouteRequest) async throws -> RouteResponse {
        let limit =
            try request.wholeNumber(named: "pageSize", in: 1...TemplateStoreLimits.auditPage) ?? 100
        let before = try request.wholeNumber(named: "pageToken", in: 1...Int.maximumDecimal)
        let search = try AuditSearch(request)
        // Entries on the whole server are not for a token that is limited to projects.
        let actions = request.administrator?.projects.map { _ in AuditEntry.Action.ofProjects }
        try await checkHasEntries(request.project)
        let page = try await page(
            of: search, inProject: request.project, limit: limit,
            before: before.map { StoreRevision(Int64($0)) }, actions: actions)
        var body: JSONNode = ["entries": .array(page.entries.map(\.json))]
        body.setMember("nextPageToken", page.next.map { .string("\($0)") })
        return .json(body)
    }

    /// - Throws: A ``RequestError`` with status 404 unless the project exists or was deleted.
    private func checkHasEntries(_ project: String) async throws(RequestError) {
        do throws(RequestError) {
            try await administration.checkExists(project)
        } catch {
            guard error.httpStatus == .notFound else { throw error }
            let page = try await entries(
                inProject: project, limit: 1, before: nil, actions: AuditEntry.Action.ofProjects)
            // Further back there may be entries of a deleted project.
            if page.entries.isEmpty, page.next == nil { throw error }
        }
    }

    /// The newest entries that match, and the revision before which the next page begins; nil on
    /// the last page.
    private func page(
        of search: AuditSearch, inProject project: String, limit: Int, before: StoreRevision?,
        actions: Set<AuditEntry.Action>?
    ) async throws -> (entries: [AuditEntry], next: StoreRevision?) {
        var found: [AuditEntry] = []
        var before = before
        var searched = 0
        let size = search.isEmpty ? limit : TemplateStoreLimits.auditPage
        while searched < Self.maximumSearched {
            try Task.checkCancellation()
            let page = try await entries(
                inProject: project, limit: size, before: before, actions: actions,
                searching: Self.maximumSearched - searched)
            searched += page.searchedCount
            for entry in page.entries {
                if search.isBefore(entry) { return (found, nil) }
                before = entry.revision
                guard search.matches(entry) else { continue }
                found.append(entry)
                if found.count == limit {
                    return (
                        found, try await next(before, inProject: project, actions: actions)
                    )
                }
            }
            guard let next = page.next else { return (found, nil) }
            before = next
        }
        return (found, try await next(before, inProject: project, actions: actions))
    }

    /// The revision before which the next page begins: `before`, or an earlier one when no entries
    /// precede it closely; nil when none are left.
    private func next(
        _ before: StoreRevision?, inProject project: String, actions: Set<AuditEntry.Action>?
    ) async throws(RequestError) -> StoreRevision? {
        let page = try await entries(
            inProject: project, limit: 1, before: before, actions: actions,
            searching: TemplateStoreLimits.auditPage)
        return page.entries.isEmpty ? page.next : before
    }

    private func entries(
        inProject project: String, limit: Int, before: StoreRevision?,
        actions: Set<AuditEntry.Action>?, searching maximum: Int = maximumSearched
    ) async throws(RequestError) -> AuditPage {
        try await administration.callStore("audit", project: project) {
            () throws(TemplateStoreError) in
            try await administration.store.auditPage(
                inProject: project,
                matching: AuditQuery(limit: limit, before: before, actions: actions),
                searching: maximum)
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
