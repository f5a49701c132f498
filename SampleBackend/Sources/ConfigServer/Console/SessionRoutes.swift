import HTTPTypes
import JSONTree
import TemplateStore

/// A type that has the routes that begin, show and end a session of the console (HTTP 5).
struct SessionRoutes: Sendable {
    /// The path of the session.
    static let path = "/console/session"

    /// Who administers.
    let access: SessionAccess

    /// The routes, for the server's table.
    var routes: [Route] {
        [
            Route(
                Self.path,
                [
                    .get: .init(access: .open, handler: show),
                    .post: .init(access: .open, handler: begin),
                    .delete: .init(access: .open, handler: end),
                ])
        ]
    }

    /// Begins a session: `{"token": "…"}`.
    @Sendable
    private func begin(_ request: RouteRequest) throws(RequestError) -> RouteResponse {
        // Else another page could have somebody work under a name that is not theirs.
        try access.checkOrigin(of: request)
        guard let token = try request.jsonBody()["token"]?.stringValue else {
            throw .invalidArgument("token is missing or no string: send {\"token\": \"…\"}.")
        }
        var answer = try self.answer(token: token)
        answer.headerFields[.setCookie] = cookie(of: request).setting(token: token)
        return answer
    }

    /// Says whose session it is.
    @Sendable
    private func show(_ request: RouteRequest) throws(RequestError) -> RouteResponse {
        try answer(token: cookie(of: request).token(in: request.headerFields[.cookie]))
    }

    /// Ends a session, if there is one.
    @Sendable
    private func end(_ request: RouteRequest) throws(RequestError) -> RouteResponse {
        try access.checkOrigin(of: request)
        return RouteResponse(
            status: .noContent,
            headerFields: [
                .setCookie: cookie(of: request).clearing, .cacheControl: "no-store",
            ])
    }

    /// The cookie as the browser that sends a request has it.
    private func cookie(of request: RouteRequest) -> SessionCookie {
        access.cookie(for: .init(request.headerFields))
    }

    /// Whose a token is, and the proof that goes with it.
    private func answer(token: String?) throws(RequestError) -> RouteResponse {
        guard let token, let administrator = access.access.administrator(token: token) else {
            throw .unauthenticated(
                "This is no valid token of an administrator: it may be mistyped, expired or revoked."
            )
        }
        return .json([
            "name": .string(administrator.name), "role": .string(administrator.role.rawValue),
            "csrfToken": .string(SessionAccess.proof(token: token)),
        ])
    }
}
