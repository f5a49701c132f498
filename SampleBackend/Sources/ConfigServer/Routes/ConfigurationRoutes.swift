import HTTPTypes
import Logging
import Rendering
import Targeting

/// A type that has the routes of HTTP 1: the configuration of a user.
struct ConfigurationRoutes: Sendable {
    /// Where the documents come from.
    let source: any ConfigurationSource

    /// Which clients may read.
    let clientAccess: ClientAccess

    /// Where a source that fails is named.
    let logger: Logger

    /// The routes, for the server's table.
    var routes: [Route] {
        ConfigurationRequest.patterns.map { pattern in
            .get(pattern, access: .client) { request in
                try await clientAccess.check(
                    request.credentials,
                    forUserID: try ConfigurationRequest.userID(
                        target: request.target, parameters: request.parameters))
                return try answer(
                    ConfigurationRequest(
                        target: request.target, parameters: request.parameters),
                    ifNoneMatch: request.headerFields[.ifNoneMatch])
            }
        }
    }

    /// Answers with a user's document, or with 304 when the client has it.
    ///
    /// - Parameters:
    ///   - request: What is asked for, by a client that may.
    ///   - ifNoneMatch: The value of `If-None-Match`.
    /// - Returns: The response, 200 or 304.
    /// - Throws: A ``RequestError``.
    func answer(
        _ request: ConfigurationRequest, ifNoneMatch: String?
    ) throws(RequestError) -> RouteResponse {
        let configuration = try configuration(for: request)
        let headerFields: HTTPFields = [
            .eTag: configuration.entityTag.description,
            .cacheControl: "private, no-cache",
        ]
        if let condition = ifNoneMatch.map(EntityTagCondition.init),
            condition.matches(configuration.entityTag)
        {
            return RouteResponse(status: .notModified, headerFields: headerFields)
        }
        return .json(configuration.jsonBytes, headerFields: headerFields)
    }

    /// Asks the source, and turns its failure into the client's error.
    private func configuration(
        for request: ConfigurationRequest
    ) throws(RequestError) -> RenderedConfiguration {
        let configuration: RenderedConfiguration?
        do {
            configuration = try source.configuration(
                inProject: request.project, forUserID: request.userID, signals: request.signals)
        } catch {
            logger.error("The source of the documents failed", metadata: ["error": "\(error)"])
            throw .unavailable
        }
        guard let configuration else { throw .unknownProject(request.project) }
        return configuration
    }
}
