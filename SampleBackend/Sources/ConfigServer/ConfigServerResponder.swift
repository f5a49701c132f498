import HTTPTypes
import Hummingbird
import Logging

/// A type that finds the route of a request, lets it answer, and turns errors into responses.
///
/// It stands where Hummingbird's router would: that one decodes nothing before it matches, tells a
/// wrong method and an unknown path apart for no one, and drops empty segments, which are users
/// here.
struct ConfigServerResponder: HTTPResponder {
    /// What Hummingbird hands over with each request; nothing of it is used.
    typealias Context = BasicRequestContext

    /// All routes of the server.
    let routes: [Route]

    /// Where each request is written down.
    let accessLog: AccessLog

    /// Where faults of the server are named.
    let logger: Logger

    /// Answers a request and writes its line in the access log; it never throws.
    func respond(to request: Request, context: Context) async throws -> Response {
        let start = ContinuousClock.now
        var answer = await answer(to: request)
        if request.method == .head {
            answer.response = answer.response.createHeadResponse()
        }
        accessLog.record(
            method: request.method.rawValue,
            path: answer.pattern?.description ?? Self.path(of: request),
            status: answer.response.status.code,
            bytes: answer.response.body.contentLength ?? 0,
            duration: start.duration(to: .now))
        return answer.response
    }

    /// A response with the route that gave it.
    private struct Answer {
        /// What the client gets.
        var response: Response
        /// The pattern of the route; nil when the path belongs to none.
        var pattern: RoutePattern?
    }

    /// Answers a request; errors become responses.
    private func answer(to request: Request) async -> Answer {
        var pattern: RoutePattern?
        do {
            let target = try RequestTarget(request.head.path ?? "")
            let (route, parameters) = try route(for: target)
            pattern = route.pattern
            let handler = try route.handler(for: request.method)
            let routeRequest = RouteRequest(
                target: target, parameters: parameters, headerFields: request.headers)
            return Answer(response: try await handler(routeRequest), pattern: pattern)
        } catch let error as RequestError {
            return Answer(response: .error(error), pattern: pattern)
        } catch {
            logger.error(
                "A request failed",
                metadata: ["path": "\(pattern?.description ?? "-")", "error": "\(error)"])
            return Answer(response: .error(.internalError), pattern: pattern)
        }
    }

    /// The path of a request as it came, without its query.
    private static func path(of request: Request) -> String {
        String((request.head.path ?? "").prefix { $0 != "?" })
    }

    /// The route of a path, with the values of its parameters.
    private func route(
        for target: RequestTarget
    ) throws(RequestError) -> (route: Route, parameters: [String: String]) {
        for route in routes {
            if let parameters = route.pattern.match(target.segments) { return (route, parameters) }
        }
        throw .notFound(
            "There is nothing under this path: the configuration of a user is under "
                + "/activeconfig/user/{userID}, the generic one under /activeconfig.")
    }
}
