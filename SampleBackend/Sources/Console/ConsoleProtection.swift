import HTTPServing
import HTTPTypes

/// Response fields that restrict the console's pages to code and content from this server.
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

    /// Allows no inline or foreign code and styles, and no code from strings.
    private static let contentSecurityPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        + "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
        + "require-trusted-types-for 'script'"
}

extension RouteGroup {
    /// Adds the protective fields and the check of `Host`.
    mutating func protectAsConsole() {
        headerFields = ConsoleProtection.headerFields
        checksHost = true
    }
}
