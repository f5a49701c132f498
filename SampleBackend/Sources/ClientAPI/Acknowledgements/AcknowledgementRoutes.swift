package import HTTPServing
import HTTPTypes
import Rendering
import Templates

/// The routes by which clients say whether they can use a version (HTTP 2).
package struct AcknowledgementRoutes: Sendable {
    /// Nil while acknowledgements are switched off.
    private let acknowledgements: Acknowledgements?
    private let library: TemplateLibrary
    private let clientAccess: ClientAccess
    private let limiter: RateLimiter<ClientAddress>

    package init(
        acknowledgements: Acknowledgements?, library: TemplateLibrary, clientAccess: ClientAccess,
        limiter: RateLimiter<ClientAddress>
    ) {
        self.acknowledgements = acknowledgements
        self.library = library
        self.clientAccess = clientAccess
        self.limiter = limiter
    }

    package var routes: [Route] {
        DocumentRequest.acknowledgementPatterns.map { pattern in
            Route(
                pattern,
                [
                    .post: Endpoint(access: clientAccess) { request in
                        try await clientAccess.checkUser(
                            request.headerFields, forUserID: try DocumentRequest.userID(request))
                        return try answer(request)
                    }
                ])
        }
    }

    private func answer(_ request: RouteRequest) throws(RequestError) -> RouteResponse {
        guard let acknowledgements else { throw Self.isOff }
        try limiter.count(request.address)
        guard let compiled = library.project(request.project)?.compiled else {
            throw .unknownProject(request.project)
        }
        acknowledgements.record(
            try Acknowledgement(request.jsonBody()), userID: try DocumentRequest.userID(request),
            project: request.project, current: compiled.version.number,
            isSetting: { compiled.hasSetting($0.key, inSection: $0.section) })
        return RouteResponse(status: .noContent, headerFields: [.cacheControl: "no-store"])
    }

    private static let isOff = RequestError.notFound(
        "Acknowledgements are switched off on this server: send none until an answer has "
            + "\(AcknowledgedShare.fieldName).")
}
