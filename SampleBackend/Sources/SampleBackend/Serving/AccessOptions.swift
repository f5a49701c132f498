import ArgumentParser
import ClientAPI
import ConfigServer
import Foundation
import HTTPServing
import JSONTree
import Logging

/// The options of `serve` that control who can read configurations (PROTOCOL 1).
struct AccessOptions: ParsableArguments {
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
            "A key for services, which may listen for many users on one connection; may be given "
                + "more than once.",
            discussion: "Also the environment variable ACTIVECONFIG_SERVICE_KEY. Without one, only "
                + "administrators may.",
            valueName: "key"))
    var serviceKeys: [Secret] = []

    @OptionGroup var userTokens: UserTokenOptions

    @Option(
        name: .customLong("allowed-host"),
        help: ArgumentHelp(
            "A host name of this server in browsers; may be given more than once.",
            discussion:
                "The console accepts only requests for --hostname, for the names of this "
                + "machine, and for these; so does a loopback server that needs no key.",
            valueName: "name"))
    var allowedHosts: [String] = []

    @Option(
        name: .customLong("trusted-proxy"),
        help: ArgumentHelp(
            "An address or network of a proxy whose X-Forwarded-For names the client; may be "
                + "given more than once.",
            discussion: "Limits and the audit trail then count its clients. Without it, the field "
                + "is ignored.",
            valueName: "cidr"))
    var trustedProxies: [String] = []

    @Option(
        name: .customLong("allow-origin"),
        help: ArgumentHelp(
            "An origin whose pages may read configurations, or *; may be given more than once.",
            valueName: "origin"))
    var allowedOrigins: [String] = []

    @Flag(
        help: """
            Let everyone read, even if the server listens beyond this machine, or a proxy passes \
            it requests for --allowed-host.
            """)
    var open = false

    /// The client keys from the options and the environment.
    private var keys: [Secret] {
        get throws {
            try clientKeys + [.environment("ACTIVECONFIG_CLIENT_KEY")].compactMap { $0 }
        }
    }

    /// The service keys from the options and the environment.
    private var allServiceKeys: [Secret] {
        get throws {
            try serviceKeys + [.environment("ACTIVECONFIG_SERVICE_KEY")].compactMap { $0 }
        }
    }

    /// Hashes of the keys of services.
    ///
    /// - Throws: `ValidationError` when a key is empty.
    var serviceKeyHashes: [SecretHash] {
        get throws { try allServiceKeys.map { SecretHash(of: $0.text) } }
    }

    /// The networks of ``trustedProxies``.
    ///
    /// - Throws: `ValidationError` when one is not a network.
    var proxies: [IPNetwork] {
        get throws {
            try trustedProxies.map { text in
                guard let network = IPNetwork(text) else {
                    throw ValidationError(
                        "--trusted-proxy \"\(text.escapedForTerminal)\" is not an address or a "
                            + "network: give one such as 10.0.0.7, 10.0.0.0/8 or fd00::/8.")
                }
                return network
            }
        }
    }

    /// Rejects options that would protect nothing.
    ///
    /// - Throws: `ValidationError`.
    func validate(isLoopback: Bool) throws {
        let clientKeyTexts = try keys.map(\.text).exactNames
        if try allServiceKeys.contains(where: { clientKeyTexts.contains(name: $0.text) }) {
            throw ValidationError(
                "A --service-key is also a --client-key, so every client could listen for all "
                    + "users: give services a key of their own.")
        }
        if let host = allowedHosts.first(where: { !HostName($0).isNameOrAddress }) {
            throw ValidationError(
                "--allowed-host \"\(host.escapedForTerminal)\" is not a host name: give a name or "
                    + "an address alone, without a scheme, a port or brackets.")
        }
        _ = try proxies
        if let origin = allowedOrigins.first(where: { !CrossOriginAccess.canAllow($0) }) {
            throw ValidationError(
                "--allow-origin \"\(origin.escapedForTerminal)\" is not an origin of browsers: give "
                    + "a scheme and a host, such as https://app.example, without a path, or *.")
        }
        let isProtected = try !keys.isEmpty || userTokens.areNeeded
        // On loopback, a name of another machine means that a proxy passes its requests on.
        let proxied = allowedHosts.first { !HostName($0).isLoopback }
        if proxied != nil || !isLoopback, !isProtected, !open {
            let place = proxied.map { "--allowed-host \($0.escapedForTerminal)" } ?? "this address"
            throw ValidationError(
                "Anyone who reaches \(place) could read every user's configuration: give "
                    + "--client-key, --user-token-secret or --user-token-jwks, or --open if "
                    + "intended.")
        }
    }

    /// The access rule for clients.
    ///
    /// - Throws: `ValidationError` when the key file is unusable.
    func clientAccess(logger: Logger) async throws -> ClientAccess {
        ClientAccess(
            keys: try keys.map(\.text), userTokens: try await userTokens.verifier(logger: logger))
    }
}
