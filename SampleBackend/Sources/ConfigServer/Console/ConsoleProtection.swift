import HTTPTypes

/// A type that has the fields that tell a browser what the console may do: run and load what this
/// server sends, and nothing else.
enum ConsoleProtection {
    /// Whether a path belongs to the console.
    static func covers(_ target: RequestTarget) -> Bool {
        target.segments.first == "console" || target.segments == [""]
    }

    /// Adds the fields to an answer of the console.
    static func addFields(to response: inout RouteResponse) {
        for (name, value) in fields { response.headerFields[name] = value }
    }

    /// The fields for the answer to a request that is refused before its route is looked for.
    ///
    /// - Parameter uri: The target of its request line; nil when it could not be read.
    /// - Returns: The fields; none when the path is not the console's.
    static func fields(for uri: String?) -> [(name: HTTPField.Name, value: String)] {
        guard let uri, let target = try? RequestTarget(uri), covers(target) else { return [] }
        return fields
    }

    /// The fields that are the same in each answer.
    private static let fields: [(name: HTTPField.Name, value: String)] = [
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
    ].compactMap { name, value in HTTPField.Name(name).map { ($0, value) } }

    /// No code or style stands in a page, none comes from elsewhere, and none is made of text.
    private static let contentSecurityPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        + "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
        + "require-trusted-types-for 'script'"
}
