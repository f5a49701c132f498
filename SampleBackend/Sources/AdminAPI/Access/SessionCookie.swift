import OpenIDConnect

/// The cookie of a console session: a random text of which the store keeps the hash.
///
/// Because the hash is stored, a session is valid at every replica, survives a restart, and ends
/// everywhere at sign-out. Scripts cannot read the cookie, and pages of other sites cannot send it.
package struct SessionCookie: Sendable {
    /// `Max-Age` in seconds: 12 hours.
    private static let lifetime = Int(AdministratorSession.lifetime)

    /// True when the browser's connection uses TLS.
    private let isSecure: Bool

    /// Ends with the port, and starts with `__Host-` under TLS.
    ///
    /// Browsers send a cookie to all ports of a host, so the port separates the sessions of several
    /// servers on it. The prefix prevents pages of sibling domains from setting the cookie.
    private let name: String

    private let kind: Kind

    enum Kind: String, Sendable {
        case session = "activeconfig_session"
        /// What a sign-in at an OpenID provider needs when the provider sends the browser back.
        case signIn = "activeconfig_signin"
    }

    /// Creates the cookie for a server that browsers reach by `host`, the value of `Host`.
    init(_ kind: Kind = .session, host: String?, isSecure: Bool) {
        self.kind = kind
        self.isSecure = isSecure
        let port = (host ?? "").split(separator: ":").dropFirst().last ?? ""
        let isPort =
            (1...5).contains(port.utf8.count) && port.utf8.allSatisfy { (0x30...0x39).contains($0) }
        name = (isSecure ? "__Host-" : "") + kind.rawValue + (isPort ? "_\(port)" : "")
    }

    /// The session's text in the value of a `Cookie` field; nil when there is none.
    ///
    /// Repeated fields are joined with semicolons.
    package func text(in field: String?) -> String? {
        let prefix = "\(name)="
        for part in (field ?? "").split(separator: ";") {
            let pair = part.drop { $0 == " " }
            guard pair.hasPrefix(prefix) else { continue }
            return String(pair.dropFirst(prefix.count))
        }
        return nil
    }

    /// The value of `Set-Cookie` that sets the cookie; `text` is Base64.
    package func setting(_ text: String) -> String {
        let seconds = kind == .session ? Self.lifetime : Int(SignInAttempt.lifetime)
        return field(value: text, seconds: seconds)
    }

    /// The value of `Set-Cookie` that removes the cookie.
    package var clearing: String { field(value: "", seconds: 0) }

    private func field(value: String, seconds: Int) -> String {
        // The provider's page sends the browser back, so the cookie of a sign-in comes from another
        // site.
        let sites = kind == .session ? "Strict" : "Lax"
        return "\(name)=\(value); Path=/; HttpOnly; SameSite=\(sites); Max-Age=\(seconds)"
            + (isSecure ? "; Secure" : "")
    }
}
