/// The cookie of a console session: a random text whose hash is stored.
///
/// Because the hash is in the store, a session is valid at every replica and survives a restart,
/// and sign-out ends it everywhere. Scripts cannot read the cookie, and pages of other sites cannot
/// send it.
package struct SessionCookie: Sendable {
    /// `Max-Age` in seconds: 12 hours.
    private static let lifetime = Int(AccessToken.sessionLifetime)

    /// True when the browser's connection is TLS.
    package let isSecure: Bool

    /// Under TLS the prefix `__Host-` keeps pages of sibling domains from setting the cookie.
    private var name: String {
        isSecure ? "__Host-activeconfig_session" : "activeconfig_session"
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
