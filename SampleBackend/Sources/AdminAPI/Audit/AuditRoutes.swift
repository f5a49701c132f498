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
        let exists = try await checkHasEntries(request.project)
        var scope = Scope(project: request.project)
        if request.administrator?.projects != nil {
            // Neither the entries on the whole server nor those of an earlier project of the same
            // name are for a token that is limited to projects.
            scope.actions = AuditEntry.Action.ofProjects
            scope.start = try await start(ofProject: request.project, exists: exists)
        }
        let page = try await page(
            of: search, in: scope, limit: limit, before: before.map { StoreRevision(Int64($0)) })
        var body: JSONNode = ["entries": .array(page.entries.map(\.json))]
        body.setMember("nextPageToken", page.next.map { .string("\($0)") })
        return .json(body)
    }

    /// The entries that an administrator may read.
    private struct Scope: Sendable {
        let project: String
        /// Nil for all.
        var actions: Set<AuditEntry.Action>?
        /// The revision after which the entries begin.
        var start = StoreRevision.zero
    }

    /// Returns false for a project that was deleted.
    ///
    /// - Throws: A ``RequestError`` with status 404 unless the project exists or was deleted.
    private func checkHasEntries(_ project: String) async throws(RequestError) -> Bool {
        do throws(RequestError) {
            try await administration.checkExists(project)
            return true
        } catch {
            guard error.httpStatus == .notFound else { throw error }
            let scope = Scope(project: project, actions: AuditEntry.Action.ofProjects)
            let page = try await entries(in: scope, limit: 1, before: nil)
            // Further back there may be entries of a deleted project.
            if page.entries.isEmpty, page.next == nil { throw error }
            return false
        }
    }

    /// The revision of the deletion after which the project, or the last deleted one, was created.
    ///
    /// If the search for it ends early, the revision at which it ended.
    private func start(
        ofProject project: String, exists: Bool
    ) async throws(RequestError) -> StoreRevision {
        let deletions = try await entries(
            in: Scope(project: project, actions: [.deleteProject]), limit: 2, before: nil)
        return deletions.entries.dropFirst(exists ? 0 : 1).first?.revision ?? deletions.next
            ?? .zero
    }

    /// The newest entries that match, and the revision before which the next page begins; nil on
    /// the last page.
    private func page(
        of search: AuditSearch, in scope: Scope, limit: Int, before: StoreRevision?
    ) async throws -> (entries: [AuditEntry], next: StoreRevision?) {
        var found: [AuditEntry] = []
        var before = before
        var searched = 0
        let size = search.isEmpty ? limit : TemplateStoreLimits.auditPage
        while searched < Self.maximumSearched {
            try Task.checkCancellation()
            let page = try await entries(
                in: scope, limit: size, before: before,
                searching: Self.maximumSearched - searched)
            searched += page.searchedCount
            for entry in page.entries {
                if search.isBefore(entry) { return (found, nil) }
                before = entry.revision
                guard search.matches(entry) else { continue }
                found.append(entry)
                if found.count == limit { return (found, try await next(before, in: scope)) }
            }
            guard let next = page.next else { return (found, nil) }
            before = next
        }
        return (found, try await next(before, in: scope))
    }

    /// The revision before which the next page begins: `before`, or an earlier one when no entries
    /// precede it closely; nil when none are left.
    private func next(
        _ before: StoreRevision?, in scope: Scope
    ) async throws(RequestError) -> StoreRevision? {
        let page = try await entries(
            in: scope, limit: 1, before: before, searching: TemplateStoreLimits.auditPage)
        return page.entries.isEmpty ? page.next : before
    }

    private func entries(
        in scope: Scope, limit: Int, before: StoreRevision?,
        searching maximum: Int = maximumSearched
    ) async throws(RequestError) -> AuditPage {
        var page = try await administration.callStore("audit", project: scope.project) {
            () throws(TemplateStoreError) in
            try await administration.store.auditPage(
                inProject: scope.project,
                matching: AuditQuery(limit: limit, before: before, actions: scope.actions),
                searching: maximum)
        }
        page.entries.removeAll { $0.revision <= scope.start }
        if let next = page.next, next <= scope.start { page.next = nil }
        return page
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
