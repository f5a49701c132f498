import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1

/// The routes of HTTP 2; opens their streams.
///
/// A stream takes over its connection, so that the request is not answered by a ``Route`` but right
/// on the connection's thread.
struct EventStreamRoutes: Sendable {
    /// What to do with the request for a stream.
    enum Opening: Sendable {
        /// Open it.
        case accepted(Acceptance)
        /// Answer with an error.
        case refused(RouteResponse)
        /// Wait for what this returns, which is one of the others.
        case checking(@Sendable () async -> Opening)
    }

    /// A stream that may be opened.
    struct Acceptance: Sendable {
        /// What the client listens to.
        let request: StreamRequest
        /// The fields of the response.
        let headerFields: HTTPFields
        /// The stream's place.
        let place: StreamPlace
        /// When the client's token ends; nil when it never does.
        let tokenEnd: Date?
    }

    /// A path that has streams.
    private struct Entry: Sendable {
        /// The path.
        let pattern: RoutePattern
        /// In what terms its streams tell of a change.
        let format: StreamRequest.Format
        /// What is counted of it.
        let metrics: RouteMetrics
    }

    /// The paths that have streams.
    private let entries: [Entry]

    /// What the streams belong to.
    let hub: RealtimeHub

    /// Which clients may listen.
    private let clientAccess: ClientAccess

    /// Which pages of other origins may listen.
    private let crossOriginAccess: CrossOriginAccess

    /// Where each request is written down.
    private let accessLog: AccessLog

    /// Makes the routes.
    ///
    /// - Parameters:
    ///   - hub: What the streams belong to.
    ///   - clientAccess: Which clients may listen.
    ///   - crossOriginAccess: Which pages of other origins may listen.
    ///   - accessLog: Where each request is written down.
    init(
        hub: RealtimeHub, clientAccess: ClientAccess, crossOriginAccess: CrossOriginAccess,
        accessLog: AccessLog
    ) {
        self.hub = hub
        self.clientAccess = clientAccess
        self.crossOriginAccess = crossOriginAccess
        self.accessLog = accessLog
        func entry(_ pattern: String, _ format: StreamRequest.Format) -> Entry {
            Entry(
                pattern: RoutePattern(pattern), format: format,
                metrics: RouteMetrics(route: pattern))
        }
        entries =
            ConfigurationRequest.streamPatterns.map { entry($0, .activeConfig) }
            + ConfigurationRequest.openFeatureStreamPatterns.map { entry($0, .openFeature) }
    }

    /// The routes, for the server's table.
    ///
    /// They answer `HEAD`, and other methods by an error; streams never come here.
    var routes: [Route] {
        entries.map { entry in
            .get(entry.pattern.description, access: .client) { _ in
                RouteResponse(status: .ok, headerFields: Self.headerFields)
            }
        }
    }

    /// What to do with a request, or nil when it asks for no stream.
    ///
    /// - Parameters:
    ///   - head: The request, which has no body that counts.
    ///   - address: The client's address.
    /// - Returns: What to do.
    func opening(of head: HTTPRequestHead, from address: ClientAddress?) -> Opening? {
        guard head.method == .GET, let target = try? RequestTarget(head.uri) else { return nil }
        for entry in entries {
            if let parameters = entry.pattern.match(target.segments) {
                return opening(
                    of: head, target: target, parameters: parameters, address: address,
                    entry: entry)
            }
        }
        return nil
    }

    /// Checks a request for a stream.
    private func opening(
        of head: HTTPRequestHead, target: RequestTarget, parameters: [String: String],
        address: ClientAddress?, entry: Entry
    ) -> Opening {
        let start = ContinuousClock.now
        let credentials = ClientAccess.Credentials(
            apiKey: head.headers.first(name: "x-api-key"),
            authorization: head.headers.first(name: "authorization"))
        let origin = head.headers.first(name: "origin")
        // Its errors are for clients that may listen.
        @Sendable func request() throws(RequestError) -> StreamRequest {
            StreamRequest(
                configuration: try ConfigurationRequest(target: target, parameters: parameters),
                lastEventID: head.headers.first(name: "last-event-id"), format: entry.format)
        }
        if clientAccess.needsKeyOnly {
            do throws(RequestError) {
                try clientAccess.checkKey(credentials)
                return try accept(
                    request(), address: address, origin: origin, entry: entry, start: start)
            } catch {
                return refusal(error, origin: origin, entry: entry, start: start)
            }
        }
        return .checking {
            do throws(RequestError) {
                let tokenEnd = try await clientAccess.check(
                    credentials,
                    forUserID: try ConfigurationRequest.userID(
                        target: target, parameters: parameters))
                return try accept(
                    request(), address: address, tokenEnd: tokenEnd, origin: origin, entry: entry,
                    start: start)
            } catch {
                return refusal(error, origin: origin, entry: entry, start: start)
            }
        }
    }

    /// Accepts a client that may listen.
    private func accept(
        _ request: StreamRequest, address: ClientAddress?, tokenEnd: Date? = nil,
        origin: String?, entry: Entry, start: ContinuousClock.Instant
    ) throws(RequestError) -> Opening {
        let project = request.configuration.project
        guard hub.library.project(project) != nil else { throw .unknownProject(project) }
        let place = try hub.places.take(address)
        var response = RouteResponse(status: .ok, headerFields: Self.headerFields)
        crossOriginAccess.addFields(to: &response, origin: origin, isForClients: true)
        record(response, entry: entry, start: start)
        return .accepted(
            Acceptance(
                request: request, headerFields: response.headerFields, place: place,
                tokenEnd: tokenEnd))
    }

    /// Answers with an error.
    private func refusal(
        _ error: RequestError, origin: String?, entry: Entry, start: ContinuousClock.Instant
    ) -> Opening {
        var response = RouteResponse.error(error, target: entry.pattern.description)
        crossOriginAccess.addFields(to: &response, origin: origin, isForClients: true)
        record(response, entry: entry, start: start)
        return .refused(response)
    }

    /// Counts a request, and writes it down.
    private func record(
        _ response: RouteResponse, entry: Entry, start: ContinuousClock.Instant
    ) {
        let duration = start.duration(to: .now)
        entry.metrics.record(status: response.status.code, duration: duration)
        accessLog.record(
            method: "GET", path: entry.pattern.description, status: response.status.code,
            bytes: response.body.readableBytes, duration: duration)
    }

    /// The fields of the head of a stream.
    private static let headerFields: HTTPFields = {
        var fields: HTTPFields = [
            .contentType: "text/event-stream", .cacheControl: "no-store",
            .connection: "close",
        ]
        // nginx hands on what it gets only when it is told so.
        if let name = HTTPField.Name("X-Accel-Buffering") { fields[name] = "no" }
        return fields
    }()
}
