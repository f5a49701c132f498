package import ClientAPI
import Crypto
import Foundation
package import HTTPServing
import HTTPTypes
import OpenIDConnect
package import TemplateStore

/// The administrator who sends a request.
package struct AdministratorCaller: RequestCaller {
    package let administrator: Administrator

    /// The identifier of the token, which is never reused, or of the person; the name for a trusted
    /// administrator.
    let id: String

    /// The console session of the request; nil when the request carries a token.
    let session: Session?

    /// A session, and whether the browser's connection uses TLS.
    struct Session: Sendable {
        let holder: AdministratorAccess.Holder
        /// The hash of the session.
        let hash: Data
        let isSecure: Bool

        /// Rejects cross-site request forgery, and requests from a page that was opened in another
        /// session.
        ///
        /// For reading, the cookie is sufficient; any other request must prove that it comes from a
        /// page of the console. Tabs share the cookie, so a tab may send the cookie of a session
        /// that was started in another tab. Therefore a wrong proof is refused for reads as well.
        ///
        /// - Throws: A ``RequestError`` with status 403 when the proof is missing or wrong.
        func checkProof(of request: RouteRequest) throws(RequestError) {
            let isReading = request.method == .get || request.method == .head
            let proof = request.headerFields[named: "x-csrf-token"]
            if isReading, proof == nil { return }
            if !isReading { try RequestOrigin(request).check(isSecure: isSecure) }
            try SessionAccess.check(proof, for: holder)
        }
    }

    /// Creates a caller who is trusted without a token.
    package init(_ administrator: Administrator) {
        self.administrator = administrator
        id = administrator.name
        session = nil
    }

    init(_ holder: AdministratorAccess.Holder, session: Session? = nil) {
        administrator = holder.administrator
        id = holder.tokenID
        self.session = session
    }
}

/// Authenticates administrators by `Authorization`, or without that field by the cookie of a
/// console session (API 3).
package struct SessionAccess: Sendable {
    package let access: AdministratorAccess

    /// True when the server itself terminates TLS.
    private let usesTLS: Bool

    /// The progress of following the store, to which other processes add tokens and sessions; nil
    /// when there are no other processes.
    private let progress: StoreProgress?

    package init(access: AdministratorAccess, usesTLS: Bool, progress: StoreProgress?) {
        self.access = access
        self.usesTLS = usesTLS
        self.progress = progress
    }

    /// Waits until all tokens and sessions are known; nil when no other process adds any.
    package var catchUp: (@Sendable () async throws(RequestError) -> Void)? {
        guard let progress else { return nil }
        return { () async throws(RequestError) in try await progress.catchUp() }
    }

    /// ``catchUp``, but nil for fields without credentials.
    package func catchUp(
        for headerFields: RequestFields
    ) -> (@Sendable () async throws(RequestError) -> Void)? {
        hasCredentials(headerFields) ? catchUp : nil
    }

    /// The sender of a request; nil without a valid token or session.
    package func administrator(of headerFields: RequestFields) -> AdministratorCaller? {
        guard headerFields[.authorization] == nil else {
            return access.holder(ofToken: headerFields.bearerToken)
                .map { AdministratorCaller($0) }
        }
        guard let (session, holder) = session(of: headerFields) else { return nil }
        return AdministratorCaller(
            holder,
            session: AdministratorCaller.Session(
                holder: holder, hash: session.hash, isSecure: isSecure(headerFields)))
    }

    /// True when the fields carry a token or a session, valid or not.
    package func hasCredentials(_ headerFields: RequestFields) -> Bool {
        headerFields[.authorization] == nil
            ? cookie(of: headerFields).text(in: headerFields[.cookie]) != nil
            : headerFields.bearerToken != nil
    }

    /// The session of the cookie and the holder of its token; nil when it has ended, and for a
    /// request with `Authorization`, whose cookie does not count.
    package func session(
        of headerFields: RequestFields
    ) -> (session: StoredSession, holder: AdministratorAccess.Holder)? {
        guard headerFields[.authorization] == nil else { return nil }
        return access.holder(
            ofSession: cookie(of: headerFields).text(in: headerFields[.cookie]))
    }

    /// - Throws: A ``RequestError`` with status 403 when a page of another origin sends the
    ///   request.
    package func checkOrigin(of request: RouteRequest) throws(RequestError) {
        try RequestOrigin(request).check(isSecure: isSecure(request.headerFields))
    }

    /// The session cookie, with the name that it has on this connection.
    package func cookie(of headerFields: RequestFields) -> SessionCookie {
        SessionCookie(host: headerFields[named: "host"], isSecure: isSecure(headerFields))
    }

    /// The cookie of a sign-in at an OpenID provider.
    package func signInCookie(of headerFields: RequestFields) -> SessionCookie {
        SessionCookie(
            .signIn, host: headerFields[named: "host"], isSecure: isSecure(headerFields))
    }

    /// Rejects a sign-out from a page that was opened in the session of another token.
    ///
    /// A request without `X-CSRF-Token` may sign out, since its origin has been checked.
    ///
    /// - Throws: A ``RequestError`` with status 403 when the request has the field and it is wrong.
    package func checkProof(
        of request: RouteRequest, for holder: AdministratorAccess.Holder
    ) throws(RequestError) {
        guard let proof = request.headerFields[named: "x-csrf-token"] else { return }
        try Self.check(proof, for: holder)
    }

    /// - Throws: A ``RequestError`` with status 403 when the value of `X-CSRF-Token` is missing or
    ///   wrong.
    fileprivate static func check(
        _ proof: String?, for holder: AdministratorAccess.Holder
    ) throws(RequestError) {
        let expected = Data(Self.proof(for: holder).utf8)
        guard Data((proof ?? "").utf8).equalsInConstantTime(expected) else {
            throw .permissionDenied(
                "X-CSRF-Token is missing or wrong: send the csrfToken that GET "
                    + "/console/session returns, or a token as Authorization: Bearer.")
        }
    }

    /// The value of `X-CSRF-Token` for the sessions of a token; it does not reveal the token.
    package static func proof(for holder: AdministratorAccess.Holder) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("activeconfig console".utf8), using: SymmetricKey(data: holder.tokenHash))
        return Data(code).base64URL
    }

    /// True when the browser's connection uses TLS, which a proxy may terminate, with or without a
    /// field that says so.
    ///
    /// A client that forges `X-Forwarded-Proto` affects only itself.
    private func isSecure(_ headerFields: RequestFields) -> Bool {
        if usesTLS || headerFields[named: "x-forwarded-proto"]?.lowercased() == "https" {
            return true
        }
        let host = headerFields[named: "host"]?.lowercased() ?? ""
        return access.signIn?.options.publicOrigin == "https://\(host)"
    }
}

/// Authenticates callers of the administrator routes.
package struct AdministratorRecognition: CallerRecognition {
    private let access: SessionAccess
    package let wrongCredentialsLimiter: RateLimiter<ClientAddress>
    package let maximumBodyBytes: Int?

    package init(
        _ access: SessionAccess, wrongCredentialsLimiter: RateLimiter<ClientAddress>,
        maximumBodyBytes: Int? = nil
    ) {
        self.access = access
        self.wrongCredentialsLimiter = wrongCredentialsLimiter
        self.maximumBodyBytes = maximumBodyBytes
    }

    package func catchUp(
        for headerFields: RequestFields
    ) -> (@Sendable () async throws(RequestError) -> Void)? { access.catchUp(for: headerFields) }

    package func caller(
        of headerFields: RequestFields
    ) throws(RequestError) -> RecognizedCaller {
        if let caller = access.administrator(of: headerFields) { return .known(caller) }
        guard access.hasCredentials(headerFields) else { return .nobody }
        try access.access.checkTokensAreKnown()
        return .wrongCredentials
    }
}
