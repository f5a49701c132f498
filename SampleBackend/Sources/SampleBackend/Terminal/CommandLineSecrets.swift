/// Redacts secrets in error messages about a rejected command line.
///
/// The parser quotes arguments that it cannot parse, such as a secret after a misspelled option, or
/// the second word of a secret given without quotation marks.
struct CommandLineSecrets: Sendable {
    /// Options whose names suggest a secret but that have none.
    private static let plainOptions = [
        "--tls-key", "--signing-key", "--user-token-jwks", "--user-token-issuer",
        "--user-token-audience", "--user-token-without-expiry",
    ]

    /// Options with a secret; they also match as prefixes, for `--optionsecret`.
    private static let secretOptions = [
        "--token", "--client-key", "--service-key", "--user-token-secret", "--user-token",
    ]

    /// Texts to redact, with their replacements.
    private var replacements: [(text: String, replacement: String)] = []

    /// Collects the secrets in the arguments.
    init(_ arguments: [String]) {
        var isBehindSecret = false
        for argument in arguments {
            replacements += Self.addresses(in: argument)
            guard argument.hasPrefix("-") else {
                if isBehindSecret { replacements.append((argument, "…")) }
                continue
            }
            let name = String(argument.prefix { $0 != "=" })
            let words = name.lowercased()
            isBehindSecret =
                !Self.plainOptions.contains(name)
                && ["token", "key", "secret"].contains(where: words.contains)
            guard isBehindSecret else { continue }
            // `--option=secret` and `--optionsecret`.
            let known = Self.secretOptions.first { name.hasPrefix($0) && name != $0 } ?? name
            if argument.count > known.count { replacements.append((argument, known + "…")) }
            replacements.append((String(argument.dropFirst(name.count + 1)), "…"))
        }
    }

    /// The address of a store or a server in an argument, and its replacement, if it can contain a
    /// password: `etcd:…`, also after `--store=`, and any other address with a user.
    private static func addresses(in argument: String) -> [(text: String, replacement: String)] {
        let isOption = argument.hasPrefix("-")
        let text = String(isOption ? argument.drop { $0 != "=" }.dropFirst() : argument[...])
        if text.hasPrefix("etcd:") { return [(text, "etcd:…")] }
        guard argument.contains("@"), argument.contains(":") else { return [] }
        // An argument can be an option followed by its value without an equals sign.
        let option = argument.prefix { $0.isLetter || $0 == "-" }
        return [(text, "…")] + (isOption ? [(argument, "\(option)…")] : [])
    }

    func redacted(_ message: String) -> String {
        replacements.reduce(message) { message, pair in
            pair.text.isEmpty
                ? message
                : message.replacing("'\(pair.text)'", with: "'\(pair.replacement)'")
                    .replacing("\"\(pair.text)\"", with: "\"\(pair.replacement)\"")
        }
    }
}

extension String {
    /// The URL without its user and password.
    var withoutUserInformation: String {
        let scheme = firstRange(of: "//")
        let start = scheme?.upperBound ?? startIndex
        let end = scheme == nil ? endIndex : self[start...].firstIndex(of: "/") ?? endIndex
        guard let mark = self[start..<end].lastIndex(of: "@") else { return self }
        return self[..<start] + "…" + self[mark...]
    }
}
