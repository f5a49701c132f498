import Foundation
package import HTTPServing
import HTTPTypes

/// The routes of event streams (PROTOCOL 2 and API 4).
package struct EventStreamRoutes: Sendable {
    private let hub: RealtimeHub
    private let clientAccess: ClientAccess
    private let serviceAccess: ServiceAccess

    package init(hub: RealtimeHub, clientAccess: ClientAccess, serviceAccess: ServiceAccess) {
        self.hub = hub
        self.clientAccess = clientAccess
        self.serviceAccess = serviceAccess
    }

    /// The streams for the document of one user and for those of many users.
    package var routes: [Route] {
        let ofMany = Endpoint(
            access: serviceAccess, recognition: serviceAccess,
            pool: WorkPool(.streams, waiting: 64, wait: .seconds(10)),
            .asynchronous { try await openMany($0) })
        return DocumentRequest.streamPatterns.map { pattern in
            var endpoints: [HTTPRequest.Method: Endpoint] = [
                .get: Endpoint(access: clientAccess, answering(.activeConfig))
            ]
            if DocumentRequest.manyUsersPatterns.contains(pattern) { endpoints[.post] = ofMany }
            return Route(pattern, endpoints)
        }
    }

    /// The streams for OpenFeature providers.
    package var openFeatureRoutes: [Route] {
        DocumentRequest.openFeatureStreamPatterns.map { pattern in
            Route(pattern, [.get: Endpoint(access: clientAccess, answering(.openFeature))])
        }
    }

    private func answering(_ format: StreamRequest.Format) -> Endpoint.Answering {
        guard clientAccess.needsKeyOnly else {
            return .asynchronous { request in
                let tokenEnd = try await clientAccess.checkUser(
                    request.headerFields, forUserID: try DocumentRequest.userID(request))
                return try open(request, format: format, tokenEnd: tokenEnd)
            }
        }
        return .immediate { request throws(RequestError) in
            try open(request, format: format, tokenEnd: nil)
        }
    }

    /// Opens a stream that ends when the client's token expires, at `tokenEnd`; nil means never.
    private func open(
        _ request: RouteRequest, format: StreamRequest.Format, tokenEnd: Date?
    ) throws(RequestError) -> Answer {
        try open(inProject: request.project) { () throws(RequestError) in
            try openKnown(request, format: format, tokenEnd: tokenEnd)
        }
    }

    /// Opens a stream.
    ///
    /// Before it refuses an unknown project, it waits until the server has applied all changes of
    /// its store.
    private func open(
        inProject project: String, _ opening: @escaping @Sendable () throws(RequestError) -> Answer
    ) throws(RequestError) -> Answer {
        do throws(RequestError) {
            return try opening()
        } catch {
            guard
                let catchUp = hub.library.catchUp(beforeRefusing: error, project: project)
            else { throw error }
            return .repeated(after: catchUp, error)
        }
    }

    private func openKnown(
        _ request: RouteRequest, format: StreamRequest.Format, tokenEnd: Date?
    ) throws(RequestError) -> Answer {
        let streamRequest = StreamRequest(
            document: try DocumentRequest(request),
            lastEventID: request.headerFields.first(named: "last-event-id"),
            documentTag: request.headerFields[.ifNoneMatch].map(EntityTagCondition.init),
            format: format)
        try checkProject(streamRequest.document.project)
        guard request.method == .get else {
            var headerFields = headerFields
            // Only a stream takes over the connection.
            headerFields[.connection] = nil
            var response = RouteResponse(status: .ok, headerFields: headerFields)
            response.hasLength = false
            return .response(response)
        }
        let place = try hub.places.take(request.address)
        return open([streamRequest], place: place, lifetime: StreamLifetime(tokenEnd: tokenEnd))
    }

    /// Opens a stream for the users in the body; for services.
    private func openMany(_ request: RouteRequest) async throws -> Answer {
        let caller = try await serviceAccess.caller(of: request)
        if caller.projects?.contains(request.project) == false {
            throw RequestError.unknownProject(request.project)
        }
        return try open(inProject: request.project) { () throws(RequestError) in
            try checkProject(request.project)
            let users = try StreamUsers(request.jsonBody(), project: request.project)
            let place = try hub.places.take(request.address, users: users.requests.count)
            return open(
                users.requests, place: place,
                lifetime: StreamLifetime(
                    tokenEnd: caller.expirationDate, isAllowed: caller.isAllowed))
        }
    }

    private func checkProject(_ project: String) throws(RequestError) {
        guard hub.library.project(project) != nil else {
            throw hub.library.refusal(ofProject: project)
        }
    }

    private func open(
        _ requests: [StreamRequest], place: StreamPlace, lifetime: StreamLifetime
    ) -> Answer {
        .stream(
            StreamOpening(headerFields: headerFields) { connection in
                hub.makeStream(
                    requests, place: place, lifetime: lifetime, connection: connection)
            })
    }

    private var headerFields: HTTPFields {
        var fields = Self.headerFields
        hub.acknowledgedShare?.addField(to: &fields)
        fields.setSnapshotDate(hub.library.snapshotDate)
        return fields
    }

    private static let headerFields: HTTPFields = {
        var fields: HTTPFields = [
            .contentType: "text/event-stream", .cacheControl: "no-store",
            .connection: "close",
        ]
        // nginx buffers responses by default.
        if let name = HTTPField.Name("X-Accel-Buffering") { fields[name] = "no" }
        return fields
    }()
}

extension WorkThreads {
    /// The threads that open streams for many users and read the versions from which streams
    /// resume.
    static let streams = WorkThreads()
}
