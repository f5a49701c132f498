import ArgumentParser
import ClientAPI
import HTTPServing
import Logging

/// The options for the tokens of users (PROTOCOL 1).
struct UserTokenOptions: ParsableArguments {
    /// Minimum length of a secret for HS256, in bytes.
    private static let minimumSecretBytes = 32

    @Option(
        help: ArgumentHelp(
            "The secret that JWTs of users are signed with (HS256), at least 32 bytes.",
            discussion: "Also the environment variable ACTIVECONFIG_USER_TOKEN_SECRET.",
            valueName: "secret"))
    var userTokenSecret: Secret?

    @Option(
        help: ArgumentHelp(
            "A JWKS file with the keys that JWTs of users are signed with.",
            discussion: "It is read again for an unknown key, at most once a minute.",
            valueName: "file"))
    var userTokenJwks: String?

    @Option(
        help: ArgumentHelp(
            "Accept only JWTs from this issuer (iss).", valueName: "issuer"))
    var userTokenIssuer: String?

    @Option(
        help: ArgumentHelp(
            "Accept only JWTs for this audience (aud).", valueName: "audience"))
    var userTokenAudience: String?

    @Flag(help: "Accept JWTs without an expiry (exp), too.")
    var userTokenWithoutExpiry = false

    /// The secret from the options or the environment.
    private var secret: Secret? {
        get throws { try userTokenSecret ?? .environment("ACTIVECONFIG_USER_TOKEN_SECRET") }
    }

    /// True when users need a token.
    ///
    /// - Throws: `ValidationError` when the secret is empty.
    var areNeeded: Bool {
        get throws { try secret != nil || userTokenJwks != nil }
    }

    /// Rejects options that contradict each other, or that would verify nothing.
    ///
    /// - Throws: `ValidationError`.
    func validate() throws {
        let secret = try secret
        if let secret, secret.text.utf8.count < Self.minimumSecretBytes {
            throw ValidationError(
                "The secret of --user-token-secret has \(secret.text.utf8.count) bytes: HS256 needs at "
                    + "least \(Self.minimumSecretBytes).")
        }
        if userTokenJwks != nil, secret != nil {
            throw ValidationError(
                "Give either --user-token-secret or --user-token-jwks, not both.")
        }
        if try !areNeeded,
            userTokenIssuer != nil || userTokenAudience != nil || userTokenWithoutExpiry
        {
            throw ValidationError(
                "--user-token-issuer, --user-token-audience and --user-token-without-expiry need "
                    + "--user-token-secret or --user-token-jwks.")
        }
    }

    /// Creates the verifier of the tokens; nil when users need none.
    ///
    /// - Throws: `ValidationError` when the key file is unusable.
    func verifier(logger: Logger) async throws -> UserTokenVerifier? {
        var rules = UserTokenRules()
        rules.issuer = userTokenIssuer
        rules.audience = userTokenAudience
        rules.needsExpiration = !userTokenWithoutExpiry
        if let secret = try secret {
            return try await UserTokenVerifier(secret: secret, rules: rules, logger: logger)
        }
        guard let userTokenJwks else { return nil }
        do throws(UserTokenKeyError) {
            return try await UserTokenVerifier(
                keySetFile: userTokenJwks, rules: rules, logger: logger)
        } catch {
            throw ValidationError(
                "The file \(userTokenJwks) of --user-token-jwks cannot be used: \(error). Give a "
                    + "JWKS file with public keys.")
        }
    }
}
