package import AdminAPI
package import HTTPServing
import HTTPTypes
import JSONTree
import NIOCore
import OpenIDConnect
import TemplateStore

/// The routes that start, show and end a console session (API 3).
package struct SessionRoutes: Sendable {
    private static let path = "/console/session"

    private let access: SessionAccess
    private let administration: Administration

    /// The routes whose responses a page may request with the session.
    private let administrationGroup: RouteGroup

    /// Limits the sessions per token, since each is stored: a burst of 100, then one every 10
    /// seconds.
    private let limiter = RateLimiter<String>(interval: .seconds(10), burst: 100)

    /// Limits sign-in attempts per address.
    private let signInLimiter: RateLimiter<ClientAddress>

    package init(
        access: SessionAccess, administration: Administration, administrationGroup: RouteGroup,
        signInLimiter: RateLimiter<ClientAddress>
    ) {
        self.access = access
        self.administration = administration
        self.administrationGroup = administrationGroup
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
                await administration.recordFailedSignIn(from: request.address)
                throw Self.noToken
            }
            // Another server may have created the token a moment ago.
            let wait: @Sendable () async throws(RequestError) -> Void = {
                () async throws(RequestError) in
                try await catchUp()
                if access.access.holder(ofToken: token) == nil {
                    await administration.recordFailedSignIn(from: request.address)
                }
            }
            return .repeated(after: wait, Self.noToken)
        }
        guard !holder.administrator.isEvaluator else {
            throw .permissionDenied(
                "This is the token of a service, with the role evaluator: sign in with a token of "
                    + "your own.")
        }
        var answer = Self.answer(holder)
        answer.headerFields[.setCookie] = try await startedSession(of: holder, for: request)
        return .response(answer)
    }

    /// Starts a session, and returns the value of `Set-Cookie`.
    func startedSession(
        of holder: AdministratorAccess.Holder, for request: RouteRequest
    ) async throws(RequestError) -> String {
        if let seconds = limiter.secondsToWait(holder.tokenID) {
            throw .tooManyRequests(retryAfter: seconds, from: "this token")
        }
        let session = AdministratorSession(of: holder, date: administration.now())
        try await administration.addSession(
            session.stored, actor: holder.administrator.name)
        return cookie(of: request).setting(session.text)
    }

    /// The holder of the session; 204 without a session, also next to a valid token in
    /// `Authorization`; 401 after the session has ended, and for an invalid token.
    ///
    /// `?get=/v1/projects&get=…` adds the answers to `GET` of these paths, so that a page starts with
    /// one request. Errors, answers that are not JSON, late ones, and those over the limit are left
    /// out: the page requests them itself. A page of another token's session gets none.
    @Sendable
    private func show(_ request: RouteRequest) async throws -> RouteResponse {
        let targets = request.target.query.filter { $0.name == "get" }.compactMap(\.value)
        guard targets.count <= Self.maximumAnswers else {
            throw RequestError.invalidArgument(
                "get is given \(targets.count) times: send at most \(Self.maximumAnswers).")
        }
        guard let (_, holder) = try await currentSession(of: request) else {
            // A browser without a session asks at each start.
            guard
                !access.hasCredentials(request.headerFields)
                    || access.administrator(of: request.headerFields) != nil
            else { throw Self.noToken }
            return RouteResponse(status: .noContent, headerFields: [.cacheControl: "no-store"])
        }
        let isOwnPage = (try? access.checkProof(of: request, for: holder)) != nil
        return Self.answer(holder, with: isOwnPage ? await answers(to: targets, for: request) : [])
    }

    /// The answers in the order of their targets; those that are left out are missing.
    private func answers(to targets: [String], for request: RouteRequest) async -> [ByteBuffer] {
        typealias Numbered = (number: Int, answer: ByteBuffer?)
        let found = await withTaskGroup(of: Numbered.self) { group in
            for (number, target) in targets.enumerated() {
                group.addTask {
                    let inTime = await result(within: Self.maximumAnswerTime) {
                        () async -> ByteBuffer? in
                        try? await self.answer(to: target, for: request)
                    }
                    return (number, inTime ?? nil)
                }
            }
            var found: [Numbered] = []
            for await numbered in group { found.append(numbered) }
            return found.sorted { $0.number < $1.number }
        }
        var answers: [ByteBuffer] = []
        var byteCount = 0
        for case (_, let answer?) in found
        where byteCount + answer.readableBytes <= Self.maximumAnswerBytes {
            byteCount += answer.readableBytes
            answers.append(answer)
        }
        return answers
    }

    /// Limits the work of one request.
    private static let maximumAnswers = 8

    /// The session itself must not wait for a store that does not answer.
    private static let maximumAnswerTime: Duration = .seconds(3)

    /// The size of the largest template.
    private static let maximumAnswerBytes = 16 << 20

    /// `{"path": …, "status": …, "etag": …, "body": …}`; the body is null if there is none.
    private func answer(to target: String, for request: RouteRequest) async throws -> ByteBuffer {
        let response = try await administrationGroup.response(toGet: target, for: request)
        guard
            response.body.readableBytes == 0
                || response.headerFields[.contentType] == "application/json"
        else { throw RequestError.notFound("The answer is not JSON.") }
        let head: JSONNode = [
            "path": .string(target), "status": .number("\(response.status.code)"),
            "etag": response.headerFields[.eTag].map { .string($0) } ?? .null,
        ]
        var text = ByteBuffer(bytes: head.jsonData().dropLast())
        text.writeString(",\"body\":")
        text.writeImmutableBuffer(
            response.body.readableBytes > 0 ? response.body : ByteBuffer(string: "null"))
        text.writeString("}")
        return text
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

    /// Ends the session of the cookie, if there is one; `endSession` is where the browser ends that at
    /// the OpenID provider, too.
    @Sendable
    private func end(_ request: RouteRequest) async throws(RequestError) -> RouteResponse {
        try access.checkOrigin(of: request)
        guard request.headerFields[.authorization] == nil else {
            throw .invalidArgument(
                "A request with Authorization has no session to end: send the cookie without it.")
        }
        let headerFields: HTTPFields = [
            .setCookie: cookie(of: request).clearing, .cacheControl: "no-store",
        ]
        if let (session, holder) = try await currentSession(of: request) {
            try access.checkProof(of: request, for: holder)
            try await administration.removeSession(session, actor: holder.administrator.name)
            let signIn = session.person == nil ? nil : access.access.signIn
            if let address = await signIn?.endSessionAddress() {
                return .json(["endSession": .string(address)], headerFields: headerFields)
            }
        }
        return RouteResponse(status: .noContent, headerFields: headerFields)
    }

    private func cookie(of request: RouteRequest) -> SessionCookie {
        access.cookie(of: request.headerFields)
    }

    /// The holder and the CSRF token of the session, and answers as JSON texts.
    private static func answer(
        _ holder: AdministratorAccess.Holder, with answers: [ByteBuffer] = []
    ) -> RouteResponse {
        var session: JSONNode = [
            "name": .string(holder.administrator.name),
            "role": .string(holder.administrator.role.rawValue),
            "csrfToken": .string(SessionAccess.proof(for: holder)),
            "owner": holder.administrator.owner.map { .string($0) } ?? .null,
            "bypass": .bool(holder.administrator.mayBypass),
        ]
        session.setMember("projects", holder.administrator.projectsJSON)
        guard !answers.isEmpty else { return .json(session) }
        var text = ByteBuffer(bytes: session.jsonData().dropLast())
        text.writeString(",\"answers\":[")
        for (index, answer) in answers.enumerated() {
            if index > 0 { text.writeString(",") }
            text.writeImmutableBuffer(answer)
        }
        text.writeString("]}")
        return .json(text, headerFields: [.cacheControl: "no-store"])
    }

    /// 401: the token is not valid, or the session has ended.
    private static let noToken = RequestError.unauthenticated(
        "This is not a valid administrator token: it may be mistyped, expired or revoked.")
}
