import Crypto
import Foundation
import HTTPTypes
import TemplateStore

/// Finds out which administrator sends a request: by the field `Authorization`, or,
/// without one, by the cookie of the console's session (HTTP 3).
struct SessionAccess: Sendable {
    /// The fields that say who sends a request.
    struct Credentials: Sendable {
        /// The value of `Authorization`.
        let authorization: String?
        /// The value of `Cookie`, several fields joined by semicolons.
        let cookie: String?
        /// The value of `X-Forwarded-Proto`: a proxy says `https` with it.
        let forwardedProtocol: String?
    }

    /// The tokens.
    let access: AdministratorAccess

    /// Whether browsers reach this server itself by TLS.
    let usesTLS: Bool

    /// Who sends a request, as far as its fields say.
    ///
    /// - Parameter credentials: The fields.
    /// - Returns: The administrator, or nil when there is no valid token.
    func administrator(for credentials: Credentials) -> Administrator? {
        holder(for: credentials)?.administrator
    }

    /// Whether the fields have a token or a session at all, valid or not.
    func isPresent(_ credentials: Credentials) -> Bool {
        credentials.authorization == nil
            ? cookie(for: credentials).text(in: credentials.cookie) != nil
            : AdministratorAccess.bearerToken(in: credentials.authorization) != nil
    }

    /// The session of the cookie, and who began it; nil when it has ended.
    func session(
        for credentials: Credentials
    ) -> (session: StoredToken, holder: AdministratorAccess.Holder)? {
        access.holder(ofSession: cookie(for: credentials).text(in: credentials.cookie))
    }

    /// Who holds the token, or began the session, that a request is sent with.
    private func holder(for credentials: Credentials) -> AdministratorAccess.Holder? {
        credentials.authorization == nil
            ? session(for: credentials)?.holder
            : access.holder(
                ofToken: AdministratorAccess.bearerToken(in: credentials.authorization))
    }

    /// Who sends a request.
    ///
    /// Another page can make a browser send the cookie. So it counts for reading alone, unless the
    /// request proves that it comes from a page of the console.
    ///
    /// - Parameter request: The request.
    /// - Returns: The administrator, or nil when there is no valid token.
    /// - Throws: A ``RequestError`` with status 403 when the proof is missing.
    func administrator(for request: RouteRequest) throws(RequestError) -> Administrator? {
        let credentials = Credentials(request.headerFields)
        guard let holder = holder(for: credentials) else { return nil }
        var administrator = holder.administrator
        guard credentials.authorization == nil else { return administrator }
        administrator.usesConsole = true
        if request.method != .get, request.method != .head {
            try checkOrigin(of: request)
            let proof = Data((request.headerFields[named: "X-CSRF-Token"] ?? "").utf8)
            guard proof.equalsInConstantTime(Data(Self.proof(for: holder).utf8)) else {
                throw .permissionDenied(
                    "X-CSRF-Token is missing or wrong: send the csrfToken that GET "
                        + "/console/session answers, or a token as Authorization: Bearer.")
            }
        }
        return administrator
    }

    /// Throws a ``RequestError`` with status 403 unless a request comes from a page of this server,
    /// or from no page.
    func checkOrigin(of request: RouteRequest) throws(RequestError) {
        try RequestOrigin(request).check(isSecure: isSecure(Credentials(request.headerFields)))
    }

    /// The cookie as the browser that sends a request has it.
    func cookie(for credentials: Credentials) -> SessionCookie {
        SessionCookie(isSecure: isSecure(credentials))
    }

    /// The value of `X-CSRF-Token` for the sessions of a token, which cannot be derived from it.
    static func proof(for holder: AdministratorAccess.Holder) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("activeconfig console".utf8), using: SymmetricKey(data: holder.tokenHash))
        return Data(code).base64URL
    }

    /// Whether a browser's connection is TLS, also one that ends at a proxy.
    ///
    /// Whoever sends a wrong `X-Forwarded-Proto` harms nobody else by it.
    private func isSecure(_ credentials: Credentials) -> Bool {
        usesTLS || credentials.forwardedProtocol?.lowercased() == "https"
    }
}

extension SessionAccess.Credentials {
    /// Takes the fields of a request.
    init(_ headerFields: HTTPFields) {
        self.init(
            authorization: headerFields[.authorization], cookie: headerFields[.cookie],
            forwardedProtocol: headerFields[named: "X-Forwarded-Proto"])
    }
}
