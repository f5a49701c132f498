/// Takes secrets out of what is said about a command line that is refused.
///
/// The parser quotes what it cannot read: a secret behind a misspelled option, or the second word of
/// one that was given without quotation marks.
struct CommandLineSecrets: Sendable {
    /// Options whose names look as if a secret came behind them, and none does.
    private static let plainOptions = [
        "--tls-key", "--user-token-jwks", "--user-token-issuer", "--user-token-audience",
        "--user-token-without-expiry",
    ]

    /// The beginnings of options with a secret.
    private static let secretOptions = [
        "--token", "--client-key", "--user-token-secret", "--user-token",
    ]

    /// What must not be said, and what is said instead.
    private var replacements: [(text: String, replacement: String)] = []

    /// Looks for secrets in the arguments of a process.
    init(_ arguments: [String]) {
        var isBehindSecret = false
        for argument in arguments {
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

    /// A message without the secrets that it quotes.
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
    /// The text of a URL without the user and password that it may have.
    var withoutUserInformation: String {
        guard let start = firstRange(of: "//")?.upperBound else { return self }
        let end = self[start...].firstIndex(of: "/") ?? endIndex
        guard let mark = self[start..<end].lastIndex(of: "@") else { return self }
        return self[..<start] + "…" + self[mark...]
    }
}
