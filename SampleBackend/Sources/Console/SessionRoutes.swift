package import AdminAPI
package import HTTPServing
import HTTPTypes
import JSONTree
import TemplateStore

/// The routes that start, show and end a console session (API 3).
package struct SessionRoutes: Sendable {
    private static let path = "/console/session"

    private let access: SessionAccess
    private let administration: Administration

    /// Limits the sessions per token, since each is stored: a burst of 100, then one every 10
    /// seconds.
    private let limiter = RateLimiter<String>(interval: .seconds(10), burst: 100)

    /// Limits sign-in attempts per address.
    private let signInLimiter: RateLimiter<ClientAddress>

    package init(
        access: SessionAccess, administration: Administration,
        signInLimiter: RateLimiter<ClientAddress>
    ) {
        self.access = access
        self.administration = administration
        self.signInLimiter = signInLimiter
    }

    package func group(recognition: any CallerRecognition) -> RouteGroup {
        var group = RouteGroup([
            Route(
                Self.path,
                [
                    .get: Endpoint(access: OpenAccess(), handler: show),
                    .post: Endpoint(
                        access: OpenAccess(), attemptLimiter: signInLimiter, .asynchronous(begin)),
                    .delete: Endpoint(access: OpenAccess(), handler: end),
                ])
        ])
        group.recognition = recognition
        group.protectAsConsole()
        return group
    }

    /// Starts a session: `{"token": "…"}`.
    @Sendable
    private func begin(_ request: RouteRequest) async throws(RequestError) -> Answer {
        // Prevents login CSRF: another page must not sign the browser in as someone else.
        try access.checkOrigin(of: request)
        guard let token = try request.jsonBody()["token"]?.stringValue else {
            throw .invalidArgument("token is missing or not a string: send {\"token\": \"…\"}.")
        }
        guard let holder = access.access.holder(ofToken: token) else {
            try access.access.checkTokensAreKnown()
            guard let catchUp = access.catchUp else {
                await recordFailure(of: request)
                throw Self.noToken
            }
            // Another server may have created the token a moment ago.
            let wait: @Sendable () async throws(RequestError) -> Void = {
                () async throws(RequestError) in
                try await catchUp()
                if access.access.holder(ofToken: token) == nil { await recordFailure(of: request) }
            }
            return .repeated(after: wait, Self.noToken)
        }
        if let seconds = limiter.secondsToWait(holder.tokenID) {
            throw .tooManyRequests(retryAfter: seconds, from: "this token")
        }
        let session = AdministratorSession(of: holder, date: administration.now())
        try await administration.addSession(
            session.stored, actor: holder.administrator.name)
        var answer = Self.answer(holder)
        answer.headerFields[.setCookie] = cookie(of: request).setting(session.text)
        return .response(answer)
    }

    /// Records a failed attempt in the audit trail, without the token that was tried.
    private func recordFailure(of request: RouteRequest) async {
        access.access.countFailedSignIn(from: request.address)
        // A failure of the store is counted and logged; the store follower records it later.
        try? await access.access.recordFailedSignIns { failed throws(RequestError) in
            try await administration.callStore("record_failed_sign_ins") {
                () throws(TemplateStoreError) in
                try await administration.store.recordFailedSignIns(failed)
            }
        }
    }

    /// The holder of the session.
    @Sendable
    private func show(_ request: RouteRequest) throws(RequestError) -> RouteResponse {
        guard let holder = access.session(of: request.headerFields)?.holder else {
            throw Self.noToken
        }
        return Self.answer(holder)
    }

    /// The session of the cookie, which another server may have created a moment ago.
    private func currentSession(
        of request: RouteRequest
    ) async throws(RequestError) -> (session: StoredSession, holder: AdministratorAccess.Holder)? {
        if let known = access.session(of: request.headerFields) { return known }
        guard let catchUp = access.catchUp(for: request.headerFields) else { return nil }
        try await catchUp()
        return access.session(of: request.headerFields)
    }

    /// Ends the session of the cookie, if there is one.
    @Sendable
    private func end(_ request: RouteRequest) async throws(RequestError) -> RouteResponse {
        try access.checkOrigin(of: request)
        if let (session, holder) = try await currentSession(of: request) {
            try access.checkProof(of: request, for: holder)
            try await administration.removeSession(session, actor: holder.administrator.name)
        }
        return RouteResponse(
            status: .noContent,
            headerFields: [
                .setCookie: cookie(of: request).clearing, .cacheControl: "no-store",
            ])
    }

    private func cookie(of request: RouteRequest) -> SessionCookie {
        access.cookie(of: request.headerFields)
    }

    /// The holder and the CSRF token of the session.
    private static func answer(_ holder: AdministratorAccess.Holder) -> RouteResponse {
        .json([
            "name": .string(holder.administrator.name),
            "role": .string(holder.administrator.role.rawValue),
            "csrfToken": .string(SessionAccess.proof(for: holder)),
        ])
    }

    /// 401: there is no session, or the token is not valid.
    private static let noToken = RequestError.unauthenticated(
        "This is not a valid administrator token: it may be mistyped, expired or revoked.")
}
