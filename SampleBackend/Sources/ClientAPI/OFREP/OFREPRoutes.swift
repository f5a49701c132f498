package import Foundation
package import HTTPServing
import HTTPTypes
import JSONTree
import Rendering
import Targeting
import TemplateStore
import Templates

/// The routes of OpenFeature's remote evaluation protocol (API 4).
package struct OFREPRoutes: Sendable {
    package let library: TemplateLibrary
    package let clientAccess: ClientAccess

    /// The clock for time-based conditions (`dateTime`).
    package let now: @Sendable () -> Date

    private let waiting: any DocumentWaiting

    /// Nil when sampling is disabled.
    private let sample: SignalSample?

    /// Nil when use is not recorded.
    private let usage: UsageTally?

    package init(
        library: TemplateLibrary, clientAccess: ClientAccess, waiting: any DocumentWaiting,
        sample: SignalSample? = nil, usage: UsageTally? = nil,
        now: @escaping @Sendable () -> Date
    ) {
        self.library = library
        self.clientAccess = clientAccess
        self.waiting = waiting
        self.sample = sample
        self.usage = usage
        self.now = now
    }

    /// The group of these routes and `streams`; its errors are in the protocol's format.
    package func group(with streams: [Route]) -> RouteGroup {
        var group = RouteGroup(routes + streams)
        group.covers = { OFREPTarget($0) != nil }
        group.errorBody = { error, target in error.jsonBytes(forTarget: target) }
        group.crossOriginFields = .clients
        return group
    }

    private var routes: [Route] {
        // After a publish all clients send requests at once: many may wait, but none for long.
        let pool = WorkPool(.flags, waiting: 4_096, wait: .seconds(5))
        return ["", "/projects/{project}"].flatMap { prefix in
            [
                Route(
                    "\(prefix)/ofrep/v1/evaluate/flags",
                    [.post: Endpoint(access: clientAccess, pool: pool, answering(evaluateAll))]),
                Route(
                    "\(prefix)/ofrep/v1/evaluate/flags/{key...}",
                    [.post: Endpoint(access: clientAccess, pool: pool, answering(evaluateOne))]),
            ]
        }
    }

    /// Answers with a handler once the server has the version that the client has seen.
    private func answering(
        _ handler: @escaping @Sendable (RouteRequest) async throws(RequestError) -> RouteResponse
    ) -> Endpoint.Answering {
        .asynchronous { request in
            guard let seenVersion = try SeenVersion(ofFlags: request),
                waiting.isBehind(seenVersion, inProject: request.project)
            else { return try await answer(request, by: handler) }
            // Unauthorized clients are refused without waiting.
            try await clientAccess.checkUser(
                request.headerFields, forUserID: try OFREPContext(request).userID)
            return try waiting.answer(
                after: seenVersion, inProject: request.project, from: request.address, on: .flags
            ) { _ throws(RequestError) in .response(try await handler(request)) }
        }
    }

    /// Answers with a handler.
    ///
    /// Before it refuses an unknown project, it waits until the server has applied all changes of
    /// its store.
    private func answer(
        _ request: RouteRequest,
        by handler: @escaping @Sendable (RouteRequest) async throws(RequestError) -> RouteResponse
    ) async throws(RequestError) -> Answer {
        do throws(RequestError) {
            return .response(try await handler(request))
        } catch {
            guard
                let catchUp = waiting.catchUp(
                    beforeRefusing: error, project: request.project)
            else { throw error }
            return .repeated(after: catchUp, error)
        }
    }

    @Sendable
    private func evaluateOne(
        _ request: RouteRequest
    ) async throws(RequestError) -> RouteResponse {
        let (published, context) = try await subject(of: request)
        let key = request.parameters["key"] ?? ""
        guard let setting = published.reasons(for: context).setting(forFlag: key) else {
            usage?.recordUnknownName(key, inProject: request.project)
            throw RequestError.unknownFlag
        }
        usage?.recordRead(
            of: UsedSetting(section: setting.section, key: setting.key),
            inProject: request.project, version: published.compiled.version.number)
        var answer = try setting.reason.evaluation(ofFlag: key)
        answer.setMember("metadata", published.evaluationMetadata)
        var headerFields = HTTPFields()
        headerFields.setSnapshotDate(library.snapshotDate)
        return .json(answer, headerFields: headerFields)
    }

    /// Answers with all flags, or with 304 when the client has them cached.
    @Sendable
    private func evaluateAll(
        _ request: RouteRequest
    ) async throws(RequestError) -> RouteResponse {
        let (published, context) = try await subject(of: request)
        let flags = OFREPFlagSet(published, project: request.project, context: context)
        var headerFields: HTTPFields = [
            .eTag: flags.entityTag.description, .cacheControl: "private, no-cache",
        ]
        headerFields.setSnapshotDate(library.snapshotDate)
        usage?.recordDelivery(
            to: UsedApp(context.signals), inProject: request.project,
            version: published.compiled.version.number)
        if try Self.client(request, has: flags.entityTag) {
            return RouteResponse(status: .notModified, headerFields: headerFields)
        }
        return .json(flags.jsonBytes, headerFields: headerFields)
    }

    /// True when the client has cached the flags with this tag and expects no newer ones.
    ///
    /// `flagConfigEtag` is the tag that an event announced. If it is not the current one, this
    /// replica may be stale, and a 304 would wrongly confirm that the client is up to date.
    private static func client(
        _ request: RouteRequest, has entityTag: EntityTag
    ) throws(RequestError) -> Bool {
        let announced = try request.target.query.lastValue(named: "flagConfigEtag")
        if let announced, !announced.hasSameBytes(as: entityTag.opaqueTag),
            !EntityTagCondition(announced).matches(entityTag.opaqueTag)
        {
            return false
        }
        let held = request.headerFields[.ifNoneMatch].map(EntityTagCondition.init)
        return held?.matches(entityTag.opaqueTag) ?? false
    }

    /// The project and the context of a request; checks its user token first.
    private func subject(
        of request: RouteRequest
    ) async throws(RequestError) -> (PublishedProject, TargetingContext) {
        try await clientAccess.checkUser(
            request.headerFields, forUserID: try OFREPContext(request).userID)
        let context = try OFREPContext(request)
        let signals = try context.signals()
        guard let published = library.project(request.project) else {
            throw library.refusal(ofProject: request.project)
        }
        guard published.compiled.admits(userID: context.userID) else {
            throw .invalidContext(RequestError.userIDTooLongMessage)
        }
        sample?.record(inProject: request.project, userID: context.userID, signals: signals)
        return (
            published,
            TargetingContext(userID: context.userID, signals: signals, date: now())
        )
    }
}

extension WorkThreads {
    /// The threads that evaluate flags, since a request may ask for thousands.
    fileprivate static let flags = WorkThreads()
}

/// A request target below `/ofrep`, where errors have the protocol's format.
///
/// It is parsed independently of the route, because a request may be refused before it is routed.
struct OFREPTarget: Sendable, Hashable {
    /// The decoded key of the requested flag; nil on other paths.
    let flagKey: String?

    /// Parses a request target; nil when it is not below `/ofrep` or `/projects/{project}/ofrep`.
    init?(_ target: String) {
        guard let parts = TargetParts(target) else { return nil }
        var segments = parts.segments[...]
        if segments.first?.hasSameBytes(as: "projects") ?? false {
            segments = segments.dropFirst(2)
        }
        guard segments.first?.hasSameBytes(as: "ofrep") ?? false else { return nil }
        let flags = ["ofrep", "v1", "evaluate", "flags"]
        let isFlag =
            segments.starts(with: flags) { $0.hasSameBytes(as: $1) } && segments.count > flags.count
        flagKey = isFlag ? segments.dropFirst(flags.count).joined(separator: "/") : nil
    }
}
