import Foundation
import HTTPTypes
import JSONTree
import Rendering
import Targeting

/// A type that has the routes of HTTP 4: OpenFeature's remote evaluation protocol.
struct OFREPRoutes: Sendable {
    /// Where the templates are.
    let library: TemplateLibrary

    /// Which clients may read.
    let clientAccess: ClientAccess

    /// The time that `dateTime` stands for.
    let now: @Sendable () -> Date

    /// The routes, for the server's table.
    var routes: [Route] {
        ["", "/projects/{project}"].flatMap { prefix in
            [
                Route(
                    "\(prefix)/ofrep/v1/evaluate/flags",
                    [.post: .init(access: .client, handler: evaluateAll)]),
                Route(
                    "\(prefix)/ofrep/v1/evaluate/flags/{key...}",
                    [.post: .init(access: .client, handler: evaluateOne)]),
            ]
        }
    }

    /// Answers with one flag.
    @Sendable
    private func evaluateOne(_ request: RouteRequest) async throws -> RouteResponse {
        let (configuration, context) = try await subject(of: request)
        let key = request.parameters["key"] ?? ""
        guard let reason = configuration.reasons(for: context).reason(forFlag: key) else {
            throw RequestError.unknownFlag
        }
        var answer = try reason.evaluation(ofFlag: key)
        answer.setMember("metadata", configuration.evaluationMetadata)
        return .json(answer)
    }

    /// Answers with all flags, or with 304 when the client has them.
    @Sendable
    private func evaluateAll(_ request: RouteRequest) async throws -> RouteResponse {
        let (configuration, context) = try await subject(of: request)
        let flags = OFREPFlagSet(configuration, project: request.project, context: context)
        let headerFields: HTTPFields = [
            .eTag: flags.entityTag.description, .cacheControl: "private, no-cache",
        ]
        if try Self.client(request, has: flags.entityTag) {
            return RouteResponse(status: .notModified, headerFields: headerFields)
        }
        return .json(flags.jsonBytes, headerFields: headerFields)
    }

    /// Whether the client has the flags with a tag, and expects no others.
    ///
    /// An event announced the tag in `flagConfigEtag`. When it is not the current one, this server
    /// may be behind, and a 304 would make the client believe that it is up to date.
    private static func client(
        _ request: RouteRequest, has entityTag: EntityTag
    ) throws(RequestError) -> Bool {
        let announced = try request.target.query.lastValue(named: "flagConfigEtag")
        if let announced, announced != entityTag.opaqueTag,
            !EntityTagCondition(announced).matches(entityTag)
        {
            return false
        }
        let held = request.headerFields[.ifNoneMatch].map(EntityTagCondition.init)
        return held?.matches(entityTag) ?? false
    }

    /// What a request is about, when its client may ask.
    private func subject(
        of request: RouteRequest
    ) async throws(RequestError) -> (ProjectConfiguration, TargetingContext) {
        try await clientAccess.check(
            request.credentials, forUserID: try OFREPContext(request).userID)
        let context = try OFREPContext(request)
        let signals = try context.signals()
        guard let configuration = library.project(request.project) else {
            throw .unknownProject(request.project)
        }
        return (
            configuration,
            TargetingContext(userID: context.userID, signals: signals, date: now())
        )
    }
}
