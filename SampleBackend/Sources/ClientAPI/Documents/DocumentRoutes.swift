package import HTTPServing
import HTTPTypes
package import Logging
import Rendering
import Targeting

/// The routes of a user's configuration document (HTTP 1).
package struct DocumentRoutes: Sendable {
    private let source: any DocumentSource
    private let clientAccess: ClientAccess
    private let logger: Logger

    package init(
        source: any DocumentSource, clientAccess: ClientAccess, logger: Logger
    ) {
        self.source = source
        self.clientAccess = clientAccess
        self.logger = logger
    }

    package var routes: [Route] {
        DocumentRequest.patterns.map { pattern in
            Route(pattern, [.get: Endpoint(access: clientAccess, answering)])
        }
    }

    /// Documents are in memory, so answers are immediate; only verifying a user token is
    /// asynchronous.
    private var answering: Endpoint.Answering {
        guard clientAccess.needsKeyOnly else {
            return .asynchronous { request in
                try await clientAccess.checkUser(
                    request.headerFields, forUserID: try DocumentRequest.userID(request))
                return .response(try answer(request))
            }
        }
        return .immediate { request throws(RequestError) in .response(try answer(request)) }
    }

    /// Answers with a user's document, or with 304 when the client has it cached.
    private func answer(_ request: RouteRequest) throws(RequestError) -> RouteResponse {
        let wanted = try DocumentRequest(request)
        if let condition = request.headerFields[.ifNoneMatch].map(EntityTagCondition.init) {
            let entityTag = try ask(wanted) { source in
                try source.entityTag(
                    inProject: wanted.project, forUserID: wanted.userID, signals: wanted.signals)
            }
            if condition.matches(entityTag.opaqueTag) {
                return RouteResponse(
                    status: .notModified, headerFields: Self.headerFields(entityTag))
            }
        }
        let document = try ask(wanted) { source in
            try source.document(
                inProject: wanted.project, forUserID: wanted.userID, signals: wanted.signals)
        }
        return .json(
            document.jsonBytes, headerFields: Self.headerFields(document.entityTag))
    }

    private static func headerFields(_ entityTag: EntityTag) -> HTTPFields {
        [.eTag: entityTag.description, .cacheControl: "private, no-cache"]
    }

    /// Calls the source, and maps its errors to the client's.
    private func ask<Value>(
        _ request: DocumentRequest, _ question: (any DocumentSource) throws -> Value?
    ) throws(RequestError) -> Value {
        let value: Value?
        do {
            value = try question(source)
        } catch {
            logger.error("The source of the documents failed", metadata: ["error": "\(error)"])
            throw .unavailable
        }
        guard let value else { throw .unknownProject(request.project) }
        return value
    }
}
