import ClientAPI
import Foundation
import HTTPServing
import JSONTree
import TemplateStore

/// The list of a project's change requests, or of a part of them.
struct ChangeRequestListRoute: Sendable {
    private let administration: Administration

    /// The member of the response that has the list.
    private let name: String

    /// True for a list that the query parameter `waiting` limits to what waits for a time.
    private let isOfSchedules: Bool

    private let isListed: @Sendable (ChangeRequestHeader) -> Bool
    private let isShown: @Sendable (StoredChangeRequest) -> Bool

    /// Creates a list of the requests that pass both filters: the first one spares reading the others.
    init(
        administration: Administration, name: String = "changeRequests",
        isOfSchedules: Bool = false,
        isListed: @escaping @Sendable (ChangeRequestHeader) -> Bool = { _ in true },
        isShown: @escaping @Sendable (StoredChangeRequest) -> Bool = { _ in true }
    ) {
        self.isShown = isShown
        self.administration = administration
        self.name = name
        self.isOfSchedules = isOfSchedules
        self.isListed = isListed
    }

    /// Maximum number of requests that are read for a page, of the bytes of the templates that are
    /// read for it, and of its own bytes.
    private static let (mostRead, mostBytesRead, mostBytes) = (50, 64 << 20, 4 << 20)

    /// Lists the requests, the last changed one first, without what they change.
    ///
    /// A page can have fewer requests than asked for, also none, and still be followed by another one.
    @Sendable
    func list(_ request: RouteRequest) async throws -> RouteResponse {
        let limit = try request.wholeNumber(named: "pageSize", in: 1...50) ?? 20
        let filter = Filter(
            state: try Self.state(in: request),
            isWaiting: try isOfSchedules && request.flag(named: "waiting"))
        let start = try ChangeRequestPlace(in: request)
        let all = try await administration.changeRequests(request.changeRequestTarget)
        if all.isEmpty { try await administration.checkExists(request.project) }
        let found = all.filter { header in
            isListed(header) && filter.canPass(header)
                && (start.map { $0.precedes(header) } ?? true)
        }
        var page = Page()
        for header in found {
            guard page.summaries.count < limit, page.readCount < Self.mostRead,
                page.bytesRead < Self.mostBytesRead, page.bytes < Self.mostBytes
            else { break }
            try await add(header, to: &page, if: filter, request)
        }
        var body = JSONNode.emptyObject
        body.setMember(name, .array(page.summaries))
        if page.readCount < found.count, page.readCount > 0 {
            let last = ChangeRequestPlace(of: found[page.readCount - 1])
            body.setMember("nextPageToken", .string(last.description))
        }
        return .json(body)
    }

    /// The number of open requests, from their headers: consoles ask for it every few seconds.
    @Sendable
    func count(_ request: RouteRequest) async throws -> RouteResponse {
        let all = try await administration.changeRequests(request.changeRequestTarget)
        if all.isEmpty { try await administration.checkExists(request.project) }
        return .json(["open": .number("\(all.count { $0.state == .open })")])
    }

    /// A page, and what was read for it.
    private struct Page {
        var summaries: [JSONNode] = []
        var bytes = 0
        var readCount = 0
        var bytesRead = 0
        /// Nil before the first open request.
        var basis: ReviewBasis?
    }

    /// What a caller wants to see of a list.
    private struct Filter {
        /// Nil for all states.
        let state: ReviewedChangeRequest.State?

        /// True for what waits for a time: a start, the next step of a rollout, or an end.
        let isWaiting: Bool

        /// False for requests that need not be read.
        func canPass(_ header: ChangeRequestHeader) -> Bool {
            (state.map { $0.stored == header.state } ?? true)
                && (!isWaiting || header.dueDate != nil)
        }

        /// A rollout that is held waits for a person.
        func passes(_ stored: StoredChangeRequest) -> Bool {
            !isWaiting || stored.request.schedule?.rollout?.state != .held
        }
    }

    /// Adds a request to a page unless it is in another state.
    private func add(
        _ header: ChangeRequestHeader, to page: inout Page, if filter: Filter,
        _ request: RouteRequest
    ) async throws {
        page.readCount += 1
        let target = ChangeRequestTarget(
            project: request.project, id: header.id, isLimitedToPresentProject: false)
        // It may have been removed since the list was read.
        guard let stored = try await administration.changeRequestIfPresent(target) else { return }
        page.bytesRead += stored.size
        guard isShown(stored), filter.passes(stored) else { return }
        let reviewed: ReviewedChangeRequest
        if stored.state == .open {
            var basis =
                if let known = page.basis { known } else {
                    try await administration.reviewBasis(inProject: request.project)
                }
            let before = page.basis?.bytesRead ?? 0
            reviewed = try await administration.reviewed(stored, over: &basis)
            // Each comparison reads all of the current version, too.
            page.bytesRead += basis.bytesRead - before + basis.live.content.count
            page.basis = basis
        } else {
            reviewed = try ReviewedChangeRequest(ended: stored, inList: true)
        }
        guard filter.state.map({ $0 == reviewed.state }) ?? true else { return }
        let summary = reviewed.summary
        page.bytes += summary.jsonData().count
        page.summaries.append(summary)
    }

    private static func state(
        in request: RouteRequest
    ) throws(RequestError) -> ReviewedChangeRequest.State? {
        guard let text = try request.queryValue(named: "state") else { return nil }
        if let state = ReviewedChangeRequest.State(rawValue: text) { return state }
        let states = ReviewedChangeRequest.State.allCases.map(\.rawValue)
        throw .invalidArgument("state is unknown: send one of \(states.joined(separator: ", ")).")
    }
}

/// A place in the order of lists, which stays where it is when requests change: `1790000000000-7f3a`.
private struct ChangeRequestPlace: CustomStringConvertible {
    private let time: Int64
    private let id: String

    init(of header: ChangeRequestHeader) {
        time = header.updateTime.millisecondsSince1970
        id = header.id
    }

    /// The place in `pageToken`; nil without one.
    init?(in request: RouteRequest) throws(RequestError) {
        guard let token = try request.queryValue(named: "pageToken") else { return nil }
        let parts = token.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, let time = Int64(parts[0]) else {
            throw .invalidArgument("pageToken is unknown: begin with the first page.")
        }
        (self.time, id) = (time, String(parts[1]))
    }

    var description: String { "\(time)-\(id)" }

    func precedes(_ header: ChangeRequestHeader) -> Bool {
        let other = header.updateTime.millisecondsSince1970
        return time == other ? id.utf8.lexicographicallyPrecedes(header.id.utf8) : time > other
    }
}
