import HTTPTypes
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import TemplateStore

/// Finds the route of a request, lets it answer, and turns errors into responses.
///
/// Hummingbird's router cannot distinguish 404 from 405, and drops empty segments, which are users
/// here.
struct ConfigServerResponder: Sendable {
    /// A route with its counts.
    private struct Entry: Sendable {
        /// The route.
        let route: Route
        /// What is counted of it.
        let metrics: RouteMetrics
    }

    /// All routes of the server.
    private let entries: [Entry]

    /// What is counted of the requests that belong to no route.
    private let otherMetrics = RouteMetrics(route: AccessLog.otherRoute)

    /// Who administers.
    let access: SessionAccess

    /// Which pages of other origins may read.
    let crossOriginAccess: CrossOriginAccess

    /// Where each request is written down.
    let accessLog: AccessLog

    /// Where faults of the server are named.
    let logger: Logger

    /// Makes a responder.
    ///
    /// - Parameters:
    ///   - routes: All routes of the server.
    ///   - access: Who administers.
    ///   - crossOriginAccess: Which pages of other origins may read.
    ///   - accessLog: Where each request is written down.
    ///   - logger: Where faults of the server are named.
    init(
        routes: [Route], access: SessionAccess, crossOriginAccess: CrossOriginAccess,
        accessLog: AccessLog, logger: Logger
    ) {
        entries = routes.map {
            Entry(route: $0, metrics: RouteMetrics(route: $0.pattern.description))
        }
        self.access = access
        self.crossOriginAccess = crossOriginAccess
        self.accessLog = accessLog
        self.logger = logger
    }

    /// Answers a request and writes its line in the access log.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response, with a body even when the method is `HEAD`.
    func respond(to request: ConnectionStateMachine.WholeRequest) async -> RouteResponse {
        let start = ContinuousClock.now
        let head = request.head
        let headerFields = HTTPFields(head.headers, splitCookie: false)
        var answer =
            if let method = try? HTTPRequest.Method(head.method) {
                await answer(
                    method: method, path: head.uri, headerFields: headerFields,
                    body: request.body ?? ByteBuffer(), host: head.headers.first(name: "host"))
            } else {
                Answer(
                    response: .error(
                        .invalidArgument("The method is no token of HTTP: send another."),
                        target: head.uri))
            }
        crossOriginAccess.addFields(
            to: &answer.response, origin: headerFields[.origin], isForClients: answer.isForClients)
        if answer.isForConsole { ConsoleProtection.addFields(to: &answer.response) }
        let duration = start.duration(to: .now)
        let status = answer.response.status.code
        (answer.entry?.metrics ?? otherMetrics).record(status: status, duration: duration)
        accessLog.record(
            method: head.method.rawValue,
            path: answer.entry?.route.pattern.description ?? AccessLog.otherRoute,
            status: status,
            bytes: head.method == .HEAD ? 0 : answer.response.body.readableBytes,
            duration: duration)
        return answer.response
    }

    /// A response with the route that gave it.
    private struct Answer {
        /// What the client gets.
        var response: RouteResponse
        /// The route; nil when the path belongs to none.
        var entry: Entry?
        /// Whether pages of other origins may be allowed to read it.
        var isForClients = false
        /// Whether the path belongs to the console.
        var isForConsole = false
    }

    /// Answers a request; errors become responses.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The target of the request line.
    ///   - headerFields: The fields.
    ///   - body: The whole body.
    ///   - host: The value of `Host`.
    ///   - administrator: Who asks, when that is known already: then no token is looked for.
    /// - Returns: The response, and the route that gave it.
    private func answer(
        method: HTTPRequest.Method, path: String, headerFields: HTTPFields, body: ByteBuffer,
        host: String? = nil, administrator: Administrator? = nil
    ) async -> Answer {
        var answer = Answer(response: .error(.internalError, target: path))
        do {
            let target = try RequestTarget(path)
            answer.isForConsole = ConsoleProtection.covers(target)
            let (entry, parameters) = try entry(for: target)
            answer.entry = entry
            answer.isForClients = entry.route.endpoints.values.contains(
                where: \.access.isForClients)
            if method == .options, answer.isForClients, headerFields[.origin] != nil {
                answer.response = RouteResponse(status: .noContent)
                return answer
            }
            let endpoint = try entry.route.endpoint(for: method)
            var request = RouteRequest(
                method: method, host: host, target: target, parameters: parameters,
                headerFields: headerFields, body: body, administrator: administrator)
            if administrator == nil { try authorize(&request, for: endpoint.access) }
            answer.response = try await endpoint.handler(request)
        } catch let error as RequestError {
            answer.response = .error(error, target: path)
        } catch {
            logger.error(
                "A request failed",
                metadata: [
                    "path": "\(answer.entry?.route.pattern.description ?? "-")",
                    "error": "\(error)",
                ])
        }
        return answer
    }

    /// Finds out who asks, and whether they may.
    ///
    /// It looks at nothing but the header fields and the role, so that an answer tells nothing of
    /// what exists.
    private func authorize(
        _ request: inout RouteRequest, for access: RouteAccess
    ) throws(RequestError) {
        let neededRole =
            switch access {
            case .open, .client: nil as StoredToken.Role?
            case .administrator(let role): role
            case .administratorWithRole(let role): role(request)
            }
        guard let neededRole else { return }
        guard let administrator = try self.access.administrator(for: request) else {
            throw .unauthenticated(
                "A valid token of an administrator is needed: send it as Authorization: Bearer.")
        }
        guard administrator.role >= neededRole else {
            throw .permissionDenied(
                "The role of this token, \(administrator.role.rawValue), does not allow that: use "
                    + "one with the role \(neededRole.rawValue).")
        }
        request.administrator = administrator
    }

    /// The route of a path, with the values of its parameters.
    private func entry(
        for target: RequestTarget
    ) throws(RequestError) -> (entry: Entry, parameters: [String: String]) {
        for entry in entries {
            if let parameters = entry.route.pattern.match(target.segments) {
                return (entry, parameters)
            }
        }
        throw .notFound(
            "There is nothing under this path: the configuration of a user is under "
                + "/activeconfig/user/{userID}, the generic one under /activeconfig.")
    }
}

extension ConfigServerResponder {
    /// Answers a request of an administrator who is known already, without a connection.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path and the query, percent-encoded.
    ///   - headerFields: The fields.
    ///   - body: The body.
    ///   - administrator: Who asks.
    /// - Returns: The response.
    func respond(
        method: HTTPRequest.Method, path: String, headerFields: HTTPFields, body: ByteBuffer,
        administrator: Administrator
    ) async -> RouteResponse {
        await answer(
            method: method, path: path, headerFields: headerFields, body: body,
            administrator: administrator
        ).response
    }
}

extension RouteAccess {
    /// Whether apps call it, and so perhaps pages of other origins.
    fileprivate var isForClients: Bool {
        if case .client = self { true } else { false }
    }
}
