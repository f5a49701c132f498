import ArgumentParser
import ConfigServer
import Foundation
import JWTKit

/// A type that is the options of `serve` for who may read configurations (HTTP 5).
struct AccessOptions: ParsableArguments {
    /// The fewest bytes of a secret that signs tokens with HS256.
    private static let minimumSecretBytes = 32

    /// Keys, one of which a client has to send.
    @Option(
        name: .customLong("client-key"),
        help: ArgumentHelp(
            "A key that clients send in X-API-Key; may be given more than once.",
            discussion: "Also the environment variable ACTIVECONFIG_CLIENT_KEY, which other users "
                + "of the machine cannot see.",
            valueName: "key"))
    var clientKeys: [String] = []

    /// The secret that tokens of users are signed with.
    @Option(
        help: ArgumentHelp(
            "The secret that JWTs of users are signed with (HS256), at least 32 bytes.",
            discussion: "Also the environment variable ACTIVECONFIG_USER_TOKEN_SECRET.",
            valueName: "secret"))
    var userTokenSecret: String?

    /// The public keys that tokens of users are signed with.
    @Option(
        help: ArgumentHelp(
            "A JWKS file with the keys that JWTs of users are signed with.", valueName: "file"))
    var userTokenJwks: String?

    /// Pages of other origins that may read.
    @Option(
        name: .customLong("allow-origin"),
        help: ArgumentHelp(
            "An origin whose pages may read configurations, or *; may be given more than once.",
            valueName: "origin"))
    var allowedOrigins: [String] = []

    /// Whether everybody may read, wherever the server listens.
    @Flag(help: "Let everybody read, also when the server listens beyond this machine.")
    var open = false

    /// The keys of the options and the environment.
    private var keys: [String] {
        clientKeys + [Self.environment("ACTIVECONFIG_CLIENT_KEY")].compactMap { $0 }
    }

    /// The secret of the options or the environment.
    private var secret: String? {
        userTokenSecret ?? Self.environment("ACTIVECONFIG_USER_TOKEN_SECRET")
    }

    /// Refuses what would be no protection.
    ///
    /// - Parameter isLoopback: Whether the server listens for this machine alone.
    /// - Throws: `ValidationError`.
    func validate(isLoopback: Bool) throws {
        if keys.contains(where: \.isEmpty) {
            throw ValidationError("--client-key is empty: choose a long, random text.")
        }
        if let secret, secret.utf8.count < Self.minimumSecretBytes {
            throw ValidationError(
                "The secret of --user-token-secret has \(secret.utf8.count) bytes: HS256 needs at "
                    + "least \(Self.minimumSecretBytes).")
        }
        if userTokenJwks != nil, secret != nil {
            throw ValidationError(
                "Give either --user-token-secret or --user-token-jwks, not both.")
        }
        let isProtected = !keys.isEmpty || secret != nil || userTokenJwks != nil
        if !isLoopback, !isProtected, !open {
            throw ValidationError(
                "Everybody who reaches this address could read every user's configuration: give "
                    + "--client-key, --user-token-secret or --user-token-jwks, or --open if that "
                    + "is meant.")
        }
    }

    /// The rule for clients.
    ///
    /// - Throws: `ValidationError` when the file of keys cannot be used.
    func clientAccess() async throws -> ClientAccess {
        ClientAccess(keys: keys, userTokens: try await userTokenKeys())
    }

    /// The keys that tokens of users are signed with; nil when none are needed.
    private func userTokenKeys() async throws -> JWTKeyCollection? {
        if let secret {
            return await JWTKeyCollection()
                .add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
        }
        guard let userTokenJwks else { return nil }
        do {
            let json = try String(contentsOfFile: userTokenJwks, encoding: .utf8)
            return try await JWTKeyCollection().add(jwksJSON: json)
        } catch {
            throw ValidationError(
                "The file \(userTokenJwks) of --user-token-jwks cannot be used (\(error)): give a "
                    + "JWKS file with public keys.")
        }
    }

    /// The value of a variable that is set and not empty.
    private static func environment(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}
