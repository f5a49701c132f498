import HTTPTypes
import Hummingbird
import Logging

/// A type that has the routes of HTTP 1: the configuration of a user.
struct ConfigurationRoutes: Sendable {
    /// The project of the paths that name none.
    private static let defaultProject = "default"

    /// Where the documents come from.
    let source: any ConfigurationSource

    /// Where a source that fails is named.
    let logger: Logger

    /// The routes, for the server's table.
    var routes: [Route] {
        [
            .get("/activeconfig") { request in
                try await answer(request, userID: nil)
            },
            .get("/activeconfig/user/{userID}") { request in
                try await answer(request, userID: request.parameters["userID"])
            },
            .get("/active_config") { request in
                try await answer(request, userID: request.target.query.lastValue(named: "userID"))
            },
            .get("/projects/{project}/activeconfig") { request in
                try await answer(request, userID: nil)
            },
            .get("/projects/{project}/activeconfig/user/{userID}") { request in
                try await answer(request, userID: request.parameters["userID"])
            },
        ]
    }

    /// Answers with a user's document, or with 304 when the client has it.
    private func answer(_ request: RouteRequest, userID: String?) async throws -> Response {
        let signals = try Signals(query: request.target.query)
        let project = request.parameters["project"] ?? Self.defaultProject
        let configuration = try await configuration(
            inProject: project, forUserID: userID, signals: signals)
        let headerFields: HTTPFields = [
            .eTag: configuration.entityTag.description,
            .cacheControl: "private, no-cache",
        ]
        if let condition = request.headerFields[.ifNoneMatch].map(EntityTagCondition.init),
            condition.matches(configuration.entityTag)
        {
            return Response(status: .notModified, headers: headerFields)
        }
        return .json(configuration.jsonBytes, headerFields: headerFields)
    }

    /// Asks the source, and turns its failure into the client's error.
    private func configuration(
        inProject project: String, forUserID userID: String?, signals: Signals
    ) async throws -> RenderedConfiguration {
        let configuration: RenderedConfiguration?
        do {
            configuration = try await source.configuration(
                inProject: project, forUserID: userID, signals: signals)
        } catch {
            logger.error("The source of the configurations failed", metadata: ["error": "\(error)"])
            throw RequestError.unavailable
        }
        guard let configuration else {
            throw RequestError.notFound(
                "There is no such project: check its name, or publish to it first.")
        }
        return configuration
    }
}
