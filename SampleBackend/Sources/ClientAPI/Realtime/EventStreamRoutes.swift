import Foundation
package import HTTPServing
import HTTPTypes

/// The routes of event streams (HTTP 2 and HTTP 4).
package struct EventStreamRoutes: Sendable {
    private let hub: RealtimeHub
    private let clientAccess: ClientAccess

    package init(hub: RealtimeHub, clientAccess: ClientAccess) {
        self.hub = hub
        self.clientAccess = clientAccess
    }

    /// The streams of users' documents.
    package var routes: [Route] {
        DocumentRequest.streamPatterns.map { route($0, format: .activeConfig) }
    }

    /// The streams for OpenFeature providers.
    package var openFeatureRoutes: [Route] {
        DocumentRequest.openFeatureStreamPatterns.map { route($0, format: .openFeature) }
    }

    private func route(_ pattern: String, format: StreamRequest.Format) -> Route {
        Route(pattern, [.get: Endpoint(access: clientAccess, answering(format))])
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

    /// Opens a stream that ends when the client's token expires, at `tokenEnd` unless that is nil.
    private func open(
        _ request: RouteRequest, format: StreamRequest.Format, tokenEnd: Date?
    ) throws(RequestError) -> Answer {
        let streamRequest = StreamRequest(
            document: try DocumentRequest(request),
            lastEventID: request.headerFields.first(named: "last-event-id"), format: format)
        let project = streamRequest.document.project
        guard hub.library.project(project) != nil else { throw .unknownProject(project) }
        guard request.method == .get else {
            var headerFields = Self.headerFields
            // Only a stream uses up the connection.
            headerFields[.connection] = nil
            return .response(RouteResponse(status: .ok, headerFields: headerFields))
        }
        let place = try hub.places.take(request.address)
        return .stream(
            StreamOpening(headerFields: Self.headerFields) { connection in
                hub.makeStream(
                    streamRequest, place: place, tokenEnd: tokenEnd, connection: connection)
            })
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
