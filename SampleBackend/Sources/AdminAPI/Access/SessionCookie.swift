/// The cookie of the console's session: a random text that the store knows the hash of.
///
/// So a session goes on at every replica and after a restart, and ends everywhere at signing out.
/// Scripts cannot read it, and no page of another site sends it.
package struct SessionCookie: Sendable {
    /// How long a browser keeps it, in seconds: 12 hours.
    private static let lifetime = Int(AccessToken.sessionLifetime)

    /// Whether the browser's connection is TLS.
    package let isSecure: Bool

    /// The name; under TLS it has a prefix with which no page of a neighbouring name can set it.
    private var name: String {
        isSecure ? "__Host-activeconfig_session" : "activeconfig_session"
    }

    /// The text of the session in a field `Cookie`, or nil when there is none.
    ///
    /// - Parameter field: The value of the field, several fields joined by semicolons.
    /// - Returns: The text.
    package func text(in field: String?) -> String? {
        let prefix = "\(name)="
        for part in (field ?? "").split(separator: ";") {
            let pair = part.drop { $0 == " " }
            guard pair.hasPrefix(prefix) else { continue }
            return String(pair.dropFirst(prefix.count))
        }
        return nil
    }

    /// The value of `Set-Cookie` that begins a session.
    ///
    /// - Parameter text: The text of the session, in Base64.
    /// - Returns: The value of the field.
    package func setting(_ text: String) -> String {
        field(value: text, seconds: Self.lifetime)
    }

    /// The value of `Set-Cookie` that ends a session.
    package var clearing: String { field(value: "", seconds: 0) }

    /// A value of `Set-Cookie`.
    private func field(value: String, seconds: Int) -> String {
        "\(name)=\(value); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(seconds)"
            + (isSecure ? "; Secure" : "")
    }
}
