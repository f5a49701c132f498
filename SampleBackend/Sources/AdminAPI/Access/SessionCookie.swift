/// The cookie of a console session: a random text whose hash is stored.
///
/// Because the hash is in the store, a session is valid at every replica and survives a restart,
/// and sign-out ends it everywhere. Scripts cannot read the cookie, and pages of other sites cannot
/// send it.
package struct SessionCookie: Sendable {
    /// `Max-Age` in seconds: 12 hours.
    private static let lifetime = Int(AdministratorSession.lifetime)

    /// True when the browser's connection is TLS.
    private let isSecure: Bool

    /// Ends with the port, and begins with `__Host-` under TLS.
    ///
    /// Browsers send a cookie to all ports of a host: the port keeps the sessions of its servers
    /// apart. The prefix keeps pages of sibling domains from setting the cookie.
    private let name: String

    /// Creates the cookie of a server that browsers reach by `host`, the value of `Host`.
    init(host: String?, isSecure: Bool) {
        self.isSecure = isSecure
        let port = (host ?? "").split(separator: ":").dropFirst().last ?? ""
        let isPort =
            (1...5).contains(port.utf8.count) && port.utf8.allSatisfy { (0x30...0x39).contains($0) }
        name = (isSecure ? "__Host-" : "") + "activeconfig_session" + (isPort ? "_\(port)" : "")
    }

    /// The session's text in the value of a `Cookie` field; nil when there is none.
    ///
    /// Several fields are joined by semicolons.
    package func text(in field: String?) -> String? {
        let prefix = "\(name)="
        for part in (field ?? "").split(separator: ";") {
            let pair = part.drop { $0 == " " }
            guard pair.hasPrefix(prefix) else { continue }
            return String(pair.dropFirst(prefix.count))
        }
        return nil
    }

    /// The value of `Set-Cookie` that starts a session; `text` is Base64.
    package func setting(_ text: String) -> String {
        field(value: text, seconds: Self.lifetime)
    }

    /// The value of `Set-Cookie` that ends a session.
    package var clearing: String { field(value: "", seconds: 0) }

    private func field(value: String, seconds: Int) -> String {
        "\(name)=\(value); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(seconds)"
            + (isSecure ? "; Secure" : "")
    }
}
