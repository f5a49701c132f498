import Foundation

/// A type that is the cookie of the console's session: it carries the token of an administrator.
///
/// So a session needs nothing on the server, goes on at every replica and after a restart, and ends
/// with its token. Scripts cannot read it, and no page of another site sends it.
struct SessionCookie: Sendable {
    /// How long a browser keeps it, in seconds: 12 hours.
    private static let lifetime = 43_200

    /// Whether the browser's connection is TLS.
    let isSecure: Bool

    /// The name; under TLS it has a prefix with which no page of a neighbouring name can set it.
    private var name: String {
        isSecure ? "__Host-activeconfig_session" : "activeconfig_session"
    }

    /// The token in a field `Cookie`, or nil when there is none.
    ///
    /// - Parameter field: The value of the field, several fields joined by semicolons.
    /// - Returns: The token's text.
    func token(in field: String?) -> String? {
        let prefix = "\(name)="
        for part in (field ?? "").split(separator: ";") {
            let pair = part.drop { $0 == " " }
            guard pair.hasPrefix(prefix) else { continue }
            return Data(base64URL: String(pair.dropFirst(prefix.count)))
                .map { String(decoding: $0, as: UTF8.self) }
        }
        return nil
    }

    /// The value of `Set-Cookie` that begins a session.
    ///
    /// - Parameter token: The token; any text, since it goes out in Base64.
    /// - Returns: The value of the field.
    func setting(token: String) -> String {
        field(value: Data(token.utf8).base64URL, seconds: Self.lifetime)
    }

    /// The value of `Set-Cookie` that ends a session.
    var clearing: String { field(value: "", seconds: 0) }

    /// A value of `Set-Cookie`.
    private func field(value: String, seconds: Int) -> String {
        "\(name)=\(value); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(seconds)"
            + (isSecure ? "; Secure" : "")
    }
}
