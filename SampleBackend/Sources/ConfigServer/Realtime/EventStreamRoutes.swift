import HTTPTypes
import NIOCore
import NIOHTTP1

/// A type that has the routes of HTTP 2 and opens their streams.
///
/// A stream takes over its connection, so that the request is not answered by a ``Route`` but right
/// on the connection's thread.
struct EventStreamRoutes: Sendable {
    /// What to do with the request for a stream.
    enum Opening: Sendable {
        /// Open it; the response has these fields.
        case accepted(StreamRequest, HTTPFields)
        /// Answer with an error.
        case refused(RouteResponse)
        /// Wait for what this returns, which is one of the others.
        case checking(@Sendable () async -> Opening)
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
    /// They answer what opens no stream: `HEAD`, and a request that came while the connection was
    /// busy with another.
    var routes: [Route] {
        entries.map { entry in
            .get(entry.pattern.description, access: .client) { request in
                guard request.method == .head else {
                    throw RequestError.invalidArgument(
                        "A stream takes the connection for itself: ask for it when the answers to "
                            + "the requests before are there.")
                }
                return RouteResponse(status: .ok, headerFields: Self.headerFields)
            }
        }
    }

    /// What to do with a request, or nil when it asks for no stream.
    ///
    /// - Parameter head: The request, which has no body that counts.
    /// - Returns: What to do.
    func opening(of head: HTTPRequestHead) -> Opening? {
        guard head.method == .GET, let target = try? RequestTarget(head.uri) else { return nil }
        for entry in entries {
            if let parameters = entry.pattern.match(target.segments) {
                return opening(of: head, target: target, parameters: parameters, entry: entry)
            }
        }
        return nil
    }

    /// Checks a request for a stream.
    private func opening(
        of head: HTTPRequestHead, target: RequestTarget, parameters: [String: String],
        entry: Entry
    ) -> Opening {
        let start = ContinuousClock.now
        let credentials = ClientAccess.Credentials(
            apiKey: head.headers.first(name: "x-api-key"),
            authorization: head.headers.first(name: "authorization"))
        let origin = head.headers.first(name: "origin")
        let request: StreamRequest
        do throws(RequestError) {
            request = StreamRequest(
                configuration: try ConfigurationRequest(target: target, parameters: parameters),
                lastEventID: head.headers.first(name: "last-event-id"), format: entry.format)
        } catch {
            return refusal(error, origin: origin, entry: entry, start: start)
        }
        if clientAccess.needsKeyOnly {
            do throws(RequestError) {
                try clientAccess.checkKey(credentials)
                return try accept(request, origin: origin, entry: entry, start: start)
            } catch {
                return refusal(error, origin: origin, entry: entry, start: start)
            }
        }
        return .checking {
            do throws(RequestError) {
                try await clientAccess.check(
                    credentials, forUserID: request.configuration.userID)
                return try accept(request, origin: origin, entry: entry, start: start)
            } catch {
                return refusal(error, origin: origin, entry: entry, start: start)
            }
        }
    }

    /// Accepts a client that may listen.
    private func accept(
        _ request: StreamRequest, origin: String?, entry: Entry, start: ContinuousClock.Instant
    ) throws(RequestError) -> Opening {
        let project = request.configuration.project
        guard hub.library.project(project) != nil else { throw .unknownProject(project) }
        var response = RouteResponse(status: .ok, headerFields: Self.headerFields)
        crossOriginAccess.addFields(to: &response, origin: origin, isForClients: true)
        record(response, entry: entry, start: start)
        return .accepted(request, response.headerFields)
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
