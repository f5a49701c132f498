package import HTTPServing
import HTTPTypes
import Rendering
import Templates

/// The routes by which clients report whether they can use a version (PROTOCOL 2).
package struct AcknowledgementRoutes: Sendable {
    /// Nil when acknowledgements are disabled.
    private let acknowledgements: Acknowledgements?
    private let library: TemplateLibrary
    private let clientAccess: ClientAccess
    private let waiting: any DocumentWaiting
    private let limiter: RateLimiter<ClientAddress>

    package init(
        acknowledgements: Acknowledgements?, library: TemplateLibrary, clientAccess: ClientAccess,
        waiting: any DocumentWaiting, limiter: RateLimiter<ClientAddress>
    ) {
        self.acknowledgements = acknowledgements
        self.library = library
        self.clientAccess = clientAccess
        self.waiting = waiting
        self.limiter = limiter
    }

    package var routes: [Route] {
        DocumentRequest.acknowledgementPatterns.map { pattern in
            Route(
                pattern,
                [
                    .post: Endpoint(
                        access: clientAccess,
                        .asynchronous { request in
                            try await clientAccess.checkUser(
                                request.headerFields, forUserID: try DocumentRequest.userID(request)
                            )
                            return try await answer(request)
                        })
                ])
        }
    }

    private func answer(_ request: RouteRequest) async throws(RequestError) -> Answer {
        guard let acknowledgements else { throw Self.isOff }
        try limiter.count(request.address)
        do throws(RequestError) {
            return try await answer(request, acknowledgements)
        } catch {
            guard
                let catchUp = library.catchUp(
                    beforeRefusing: error, project: request.project)
            else { throw error }
            return .repeated(after: catchUp, error)
        }
    }

    private func answer(
        _ request: RouteRequest, _ acknowledgements: Acknowledgements
    ) async throws(RequestError) -> Answer {
        guard library.project(request.project) != nil else {
            throw library.refusal(ofProject: request.project)
        }
        let acknowledgement = try Acknowledgement(request.jsonBody())
        let userID = try DocumentRequest.userID(request)
        let record = { @Sendable (_: Bool) async throws(RequestError) -> Answer in
            guard let compiled = library.project(request.project)?.compiled else {
                throw library.refusal(ofProject: request.project)
            }
            // Clients can have versions that the store lost in a restore.
            if await library.hasVersion(acknowledgement.version, ofProject: request.project) {
                acknowledgements.record(
                    acknowledgement, userID: userID, project: request.project,
                    current: compiled.version.number,
                    isSetting: { compiled.hasSetting($0.key, inSection: $0.section) })
            }
            return .response(
                RouteResponse(status: .noContent, headerFields: [.cacheControl: "no-store"]))
        }
        // The client may have received the version from another replica.
        let version = SeenVersion.number(acknowledgement.version)
        guard waiting.isBehind(version, inProject: request.project) else {
            return try await record(false)
        }
        return try waiting.answer(
            after: version, inProject: request.project, from: request.address, on: nil, record)
    }

    private static let isOff = RequestError.notFound(
        "Acknowledgements are disabled on this server: send none until a response has "
            + "\(AcknowledgedShare.fieldName).")
}
