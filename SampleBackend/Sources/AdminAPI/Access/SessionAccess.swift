import Crypto
import Foundation
package import HTTPServing
import HTTPTypes
package import TemplateStore

/// The administrator who sends a request.
package struct AdministratorCaller: Sendable {
    package let administrator: Administrator

    /// The session of the console that the request belongs to; nil when it carries a token.
    let session: Session?

    /// A session, and the browser's connection it came over.
    struct Session: Sendable {
        let holder: AdministratorAccess.Holder
        let isSecure: Bool

        /// Refuses a request that another page made the browser send.
        ///
        /// The cookie counts for reading alone, unless the request proves that it comes from a page
        /// of the console.
        ///
        /// - Throws: A ``RequestError`` with status 403 when the proof is missing.
        func checkProof(of request: RouteRequest) throws(RequestError) {
            guard request.method != .get, request.method != .head else { return }
            try RequestOrigin(request).check(isSecure: isSecure)
            let proof = Data((request.headerFields[named: "x-csrf-token"] ?? "").utf8)
            guard proof.equalsInConstantTime(Data(SessionAccess.proof(for: holder).utf8)) else {
                throw .permissionDenied(
                    "X-CSRF-Token is missing or wrong: send the csrfToken that GET "
                        + "/console/session answers, or a token as Authorization: Bearer.")
            }
        }
    }

    /// An administrator who needs no token.
    package init(_ administrator: Administrator) {
        self.init(administrator, session: nil)
    }

    init(_ administrator: Administrator, session: Session?) {
        self.administrator = administrator
        self.session = session
    }
}

/// Recognizes administrators by the field `Authorization` or, without one, by the cookie of the
/// console's session (HTTP 3).
package struct SessionAccess: Sendable {
    package let access: AdministratorAccess

    /// Whether browsers reach this server itself by TLS.
    private let usesTLS: Bool

    package init(access: AdministratorAccess, usesTLS: Bool) {
        self.access = access
        self.usesTLS = usesTLS
    }

    /// Who sends a request; nil without a valid token or session.
    package func administrator(of headerFields: RequestFields) -> AdministratorCaller? {
        guard headerFields[.authorization] == nil else {
            return access.holder(ofToken: headerFields.bearerToken)
                .map { AdministratorCaller($0.administrator) }
        }
        guard let holder = session(of: headerFields)?.holder else { return nil }
        return AdministratorCaller(
            holder.administrator,
            session: AdministratorCaller.Session(
                holder: holder, isSecure: isSecure(headerFields)))
    }

    /// Whether the fields have a token or a session at all, valid or not.
    func hasCredentials(_ headerFields: RequestFields) -> Bool {
        headerFields[.authorization] == nil
            ? cookie(of: headerFields).text(in: headerFields[.cookie]) != nil
            : headerFields.bearerToken != nil
    }

    /// The session of the cookie, and who began it; nil when it has ended.
    package func session(
        of headerFields: RequestFields
    ) -> (session: StoredToken, holder: AdministratorAccess.Holder)? {
        access.holder(ofSession: cookie(of: headerFields).text(in: headerFields[.cookie]))
    }

    /// Throws a ``RequestError`` with status 403 unless a request comes from a page of this server,
    /// or from no page.
    package func checkOrigin(of request: RouteRequest) throws(RequestError) {
        try RequestOrigin(request).check(isSecure: isSecure(request.headerFields))
    }

    /// The cookie as the browser that sends a request has it.
    package func cookie(of headerFields: RequestFields) -> SessionCookie {
        SessionCookie(isSecure: isSecure(headerFields))
    }

    /// The value of `X-CSRF-Token` for the sessions of a token, which cannot be derived from it.
    package static func proof(for holder: AdministratorAccess.Holder) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("activeconfig console".utf8), using: SymmetricKey(data: holder.tokenHash))
        return Data(code).base64URL
    }

    /// Whether a browser's connection is TLS, also one that ends at a proxy.
    ///
    /// Whoever sends a wrong `X-Forwarded-Proto` harms nobody else by it.
    private func isSecure(_ headerFields: RequestFields) -> Bool {
        usesTLS || headerFields[named: "x-forwarded-proto"]?.lowercased() == "https"
    }
}

/// Recognizes administrators for the routes that are theirs.
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

    package func caller(of headerFields: RequestFields) -> RecognizedCaller {
        if let caller = access.administrator(of: headerFields) { return .known(caller) }
        return access.hasCredentials(headerFields) ? .wrongCredentials : .nobody
    }
}
