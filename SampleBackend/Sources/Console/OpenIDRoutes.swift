package import AdminAPI
package import HTTPServing
import HTTPTypes
import JSONTree
import OpenIDConnect
import TemplateStore

/// The routes that start a console session by a sign-in at an OpenID provider (API 3).
///
/// A failure never ends on an error page: the browser returns to the sign-in page, which shows the
/// reason and still accepts tokens.
package struct OpenIDRoutes: Sendable {
    private let sessions: SessionRoutes
    private let access: SessionAccess
    private let administration: Administration

    /// Limits sign-in attempts per address.
    private let signInLimiter: RateLimiter<ClientAddress>

    package init(
        sessions: SessionRoutes, access: SessionAccess, administration: Administration,
        signInLimiter: RateLimiter<ClientAddress>
    ) {
        self.sessions = sessions
        self.access = access
        self.administration = administration
        self.signInLimiter = signInLimiter
    }

    package var group: RouteGroup {
        var group = RouteGroup([
            Route("/console/openid", [.get: Endpoint(access: OpenAccess(), handler: show)]),
            Route(
                "/console/openid/sign-in",
                [
                    .get: Endpoint(
                        access: OpenAccess(), attemptLimiter: signInLimiter, handler: begin)
                ]),
            // Only a begun sign-in calls the provider, once.
            Route(
                "/console/openid/callback",
                [.get: Endpoint(access: OpenAccess(), handler: finish)]),
        ])
        group.protectAsConsole()
        return group
    }

    private var signIn: OpenIDSignIn? { access.access.signIn }

    /// The provider, and the reason for which the last sign-in of this browser failed; 204 without a
    /// provider.
    @Sendable
    private func show(_ request: RouteRequest) throws(RequestError) -> RouteResponse {
        guard let signIn else {
            return RouteResponse(status: .noContent, headerFields: [.cacheControl: "no-store"])
        }
        var node: JSONNode = [
            "issuer": .string(signIn.options.issuer),
            "origin": .string(signIn.options.publicOrigin),
        ]
        let note = cookie(of: request).text(in: request.headerFields[.cookie])
        guard let failure = signIn.failure(inNote: note) else { return .json(node) }
        node.setMember("failure", .string(failure))
        return .json(node, headerFields: [.setCookie: cookie(of: request).clearing])
    }

    /// Sends the browser to the provider.
    @Sendable
    private func begin(_ request: RouteRequest) async throws(RequestError) -> RouteResponse {
        guard let signIn else { throw Self.noProvider }
        try access.checkOrigin(of: request)
        // The provider sends the browser to this origin, where it must have the cookie.
        let host = request.headerFields[named: "host"]?.lowercased() ?? ""
        guard signIn.options.publicOrigin.hasSuffix("://\(host)") else {
            return failed(
                "The sign-in works only at \(signIn.options.publicOrigin)/console/: open the "
                    + "console there.", signIn, request)
        }
        do throws(OpenIDError) {
            let (address, note) = try await signIn.begin()
            return Self.redirect(to: address, cookies: [cookie(of: request).setting(note)])
        } catch {
            return failed(error.description, signIn, request)
        }
    }

    /// Starts a session for the person whom the provider names.
    @Sendable
    private func finish(_ request: RouteRequest) async throws(RequestError) -> RouteResponse {
        guard let signIn else { throw Self.noProvider }
        var callback = OpenIDSignIn.Callback()
        callback.state = try request.target.query.lastValue(named: "state")
        callback.code = try request.target.query.lastValue(named: "code")
        callback.issuer = try request.target.query.lastValue(named: "iss")
        callback.error = try request.target.query.lastValue(named: "error")
        callback.errorDescription = try request.target.query.lastValue(named: "error_description")
        let note = cookie(of: request).text(in: request.headerFields[.cookie])
        do throws(OpenIDError) {
            let person = try await signIn.finish(
                callback, note: note, from: request.address)
            try await endFormerSessions(of: person)
            guard let holder = access.access.holder(of: person) else {
                throw OpenIDError(
                    "\(person.name) may not sign in here: no rule of this server allows it.")
            }
            return try await started(holder, request)
        } catch {
            if error == OpenIDSignIn.isBusy { throw Self.isBusy }
            await administration.recordFailedSignIn(from: request.address)
            return failed(error.description, signIn, request)
        }
    }

    /// Ends the sessions whose rights the provider has changed since; also when no rule allows the
    /// person any more.
    private func endFormerSessions(of person: SignedInPerson) async throws(OpenIDError) {
        do throws(RequestError) {
            try await administration.endSessionsWithFormerRights(
                of: person, after: access.catchUp)
        } catch {
            throw OpenIDError(error.message)
        }
    }

    /// Starts a session; a failure of the store is shown, too.
    private func started(
        _ holder: AdministratorAccess.Holder, _ request: RouteRequest
    ) async throws(OpenIDError) -> RouteResponse {
        do throws(RequestError) {
            let session = try await sessions.startedSession(of: holder, for: request)
            return Self.redirect(
                to: "/console/?signed-in", cookies: [session, cookie(of: request).clearing])
        } catch {
            throw OpenIDError(error.message)
        }
    }

    /// Returns to the sign-in page, which shows the reason.
    private func failed(
        _ reason: String, _ signIn: OpenIDSignIn, _ request: RouteRequest
    ) -> RouteResponse {
        let cookie = cookie(of: request)
        return Self.redirect(
            to: "/console/",
            cookies: [signIn.note(ofFailure: reason).map(cookie.setting) ?? cookie.clearing])
    }

    private static func redirect(to address: String, cookies: [String]) -> RouteResponse {
        var headerFields: HTTPFields = [.location: address, .cacheControl: "no-store"]
        for cookie in cookies {
            headerFields.append(HTTPField(name: .setCookie, value: cookie))
        }
        return RouteResponse(status: .seeOther, headerFields: headerFields)
    }

    private func cookie(of request: RouteRequest) -> SessionCookie {
        access.signInCookie(of: request.headerFields)
    }

    /// The browser keeps the attempt, and sends it again.
    private static let isBusy = RequestError(
        httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
        message: OpenIDSignIn.isBusy.description,
        headerFields: HTTPField.Name("Refresh").map { [$0: "2", .retryAfter: "2"] } ?? [:])

    private static let noProvider = RequestError.notFound(
        "This server has no OpenID provider: sign in with a token, or start it with --oidc-issuer.")
}
