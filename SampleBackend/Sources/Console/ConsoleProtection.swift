import HTTPServing
import HTTPTypes

/// Response fields that tell a browser what the console may do: run and load what this server sends,
/// and nothing else.
private enum ConsoleProtection {
    private static let fields: [(name: String, value: String)] = [
        ("Content-Security-Policy", contentSecurityPolicy),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        (
            "Permissions-Policy",
            "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), "
                + "magnetometer=(), microphone=(), payment=(), usb=()"
        ),
    ]

    static let headerFields = HTTPFields(
        fields.compactMap { name, value in
            HTTPField.Name(name).map { HTTPField(name: $0, value: value) }
        })

    /// No code or style stands in a page, none comes from elsewhere, and none is made of text.
    private static let contentSecurityPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        + "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
        + "require-trusted-types-for 'script'"
}

extension RouteGroup {
    /// Guards the routes as those of the console.
    mutating func protectAsConsole() {
        headerFields = ConsoleProtection.headerFields
        checksHost = true
    }
}
