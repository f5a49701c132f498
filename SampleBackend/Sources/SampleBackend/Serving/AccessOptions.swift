import ArgumentParser
import ClientAPI
import ConfigServer
import Foundation
import HTTPServing
import Logging

/// The options of `serve` that control access to configurations (HTTP 5).
struct AccessOptions: ParsableArguments {
    /// Minimum length, in bytes, of a secret for HS256.
    private static let minimumSecretBytes = 32

    @Option(
        name: .customLong("client-key"),
        help: ArgumentHelp(
            "A key that clients send in X-API-Key; may be given more than once.",
            discussion: "Also the environment variable ACTIVECONFIG_CLIENT_KEY, which other users "
                + "of the machine cannot see.",
            valueName: "key"))
    var clientKeys: [Secret] = []

    @Option(
        name: .customLong("service-key"),
        help: ArgumentHelp(
            "A key of services, which may listen for many users on one connection; may be given "
                + "more than once.",
            discussion: "Also the environment variable ACTIVECONFIG_SERVICE_KEY. Without one, only "
                + "administrators may.",
            valueName: "key"))
    var serviceKeys: [Secret] = []

    @Option(
        help: ArgumentHelp(
            "The secret that JWTs of users are signed with (HS256), at least 32 bytes.",
            discussion: "Also the environment variable ACTIVECONFIG_USER_TOKEN_SECRET.",
            valueName: "secret"))
    var userTokenSecret: Secret?

    @Option(
        help: ArgumentHelp(
            "A JWKS file with the keys that JWTs of users are signed with.",
            discussion: "It is read again for a key that it lacks, at most once a minute.",
            valueName: "file"))
    var userTokenJwks: String?

    @Option(
        help: ArgumentHelp(
            "Take JWTs of users from this issuer alone (iss).", valueName: "issuer"))
    var userTokenIssuer: String?

    @Option(
        help: ArgumentHelp(
            "Take JWTs of users for this audience alone (aud).", valueName: "audience"))
    var userTokenAudience: String?

    @Flag(help: "Take JWTs of users that never end (without exp), too.")
    var userTokenWithoutExpiry = false

    @Option(
        name: .customLong("allowed-host"),
        help: ArgumentHelp(
            "A name that browsers reach this server by; may be given more than once.",
            discussion:
                "The console, and all of a server on this machine that needs no key, answers "
                + "to --hostname, to the names of this machine, and to these.",
            valueName: "name"))
    var allowedHosts: [String] = []

    @Option(
        name: .customLong("allow-origin"),
        help: ArgumentHelp(
            "An origin whose pages may read configurations, or *; may be given more than once.",
            valueName: "origin"))
    var allowedOrigins: [String] = []

    @Flag(help: "Let everybody read, also when the server listens beyond this machine.")
    var open = false

    /// The keys of the options and of the environment.
    private var keys: [Secret] {
        clientKeys + [Self.environment("ACTIVECONFIG_CLIENT_KEY")].compactMap { $0 }
    }

    /// The keys of services of the options and of the environment.
    private var allServiceKeys: [Secret] {
        serviceKeys + [Self.environment("ACTIVECONFIG_SERVICE_KEY")].compactMap { $0 }
    }

    /// Hashes of the keys of services.
    var serviceKeyHashes: [SecretHash] { allServiceKeys.map { SecretHash(of: $0.text) } }

    /// The secret of the options or of the environment.
    private var secret: Secret? {
        userTokenSecret ?? Self.environment("ACTIVECONFIG_USER_TOKEN_SECRET")
    }

    /// Rejects options that would protect nothing.
    ///
    /// - Throws: `ValidationError`.
    func validate(isLoopback: Bool) throws {
        if keys.contains(where: \.text.isEmpty) {
            throw ValidationError("--client-key is empty: choose a long, random text.")
        }
        if allServiceKeys.contains(where: \.text.isEmpty) {
            throw ValidationError("--service-key is empty: choose a long, random text.")
        }
        let clientTexts = Set(keys.map(\.text))
        if allServiceKeys.contains(where: { clientTexts.contains($0.text) }) {
            throw ValidationError(
                "A --service-key is also a --client-key, so every client could listen for all "
                    + "users: give services a key of their own.")
        }
        if let secret, secret.text.utf8.count < Self.minimumSecretBytes {
            throw ValidationError(
                "The secret of --user-token-secret has \(secret.text.utf8.count) bytes: HS256 needs at "
                    + "least \(Self.minimumSecretBytes).")
        }
        if userTokenJwks != nil, secret != nil {
            throw ValidationError(
                "Give either --user-token-secret or --user-token-jwks, not both.")
        }
        let hasUserTokens = secret != nil || userTokenJwks != nil
        if !hasUserTokens,
            userTokenIssuer != nil || userTokenAudience != nil || userTokenWithoutExpiry
        {
            throw ValidationError(
                "--user-token-issuer, --user-token-audience and --user-token-without-expiry need "
                    + "--user-token-secret or --user-token-jwks.")
        }
        let isProtected = !keys.isEmpty || hasUserTokens
        if !isLoopback, !isProtected, !open {
            throw ValidationError(
                "Everybody who reaches this address could read every user's configuration: give "
                    + "--client-key, --user-token-secret or --user-token-jwks, or --open if that "
                    + "is meant.")
        }
    }

    /// The access rule for clients.
    ///
    /// - Throws: `ValidationError` when the key file is unusable.
    func clientAccess(logger: Logger) async throws -> ClientAccess {
        ClientAccess(
            keys: keys.map(\.text), userTokens: try await userTokenVerifier(logger: logger))
    }

    /// Nil when users need no token.
    private func userTokenVerifier(logger: Logger) async throws -> UserTokenVerifier? {
        var rules = UserTokenRules()
        rules.issuer = userTokenIssuer
        rules.audience = userTokenAudience
        rules.needsExpiration = !userTokenWithoutExpiry
        if let secret { return try await UserTokenVerifier(secret: secret, rules: rules) }
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

    /// The value of an environment variable; nil when it is not set or empty.
    private static func environment(_ name: String) -> Secret? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : Secret($0) }
    }
}
