import ArgumentParser
import ConfigServer
import Foundation
import HTTPServing
import OpenIDConnect

/// The options of `serve` with which people sign in to the console at an OpenID provider (API 3).
struct OpenIDServeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The issuer of the OpenID provider at which people sign in to the console.",
            discussion: "An https URL; of this machine also http. Tokens stay valid.",
            valueName: "url"))
    var oidcIssuer: String?

    @Option(
        help: ArgumentHelp("The client ID of this server at the provider.", valueName: "id"))
    var oidcClientId: String?

    @Option(
        help: ArgumentHelp(
            "A file with the client secret of this server at the provider.", valueName: "file"),
        completion: .file())
    var oidcClientSecretFile: String?

    @Option(
        help: ArgumentHelp(
            "A file with the rules from e-mail, domain or group to roles.",
            discussion: "SIGHUP reads it again.", valueName: "file"),
        completion: .file())
    var oidcRoles: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file with the certificates that verify the provider's, in place of the system's.",
            valueName: "file"),
        completion: .file())
    var oidcCaFile: String?

    @Option(
        help: ArgumentHelp(
            "The address at which browsers reach this server, such as https://config.example.",
            discussion: "The provider sends browsers to its path \(Self.callbackPath).",
            valueName: "url"))
    var publicUrl: String?

    private static let callbackPath = "/console/openid/callback"

    /// In bytes.
    private static let maximumSecretBytes = 4_096

    /// Rejects options that are given in part.
    ///
    /// - Throws: `ValidationError`.
    func validate() throws {
        let given = [oidcIssuer, oidcClientId, oidcClientSecretFile, oidcRoles, publicUrl]
        guard given.allSatisfy({ $0 == nil }) || given.allSatisfy({ $0 != nil }) else {
            throw ValidationError(
                "The sign-in at an OpenID provider needs all of --oidc-issuer, --oidc-client-id, "
                    + "--oidc-client-secret-file, --oidc-roles and --public-url.")
        }
        guard oidcCaFile == nil || oidcIssuer != nil else {
            throw ValidationError("--oidc-ca-file is for the provider of --oidc-issuer: give both.")
        }
    }

    /// The options of the sign-in; nil without a provider.
    ///
    /// - Parameter allowedHosts: The host names that the console accepts.
    /// - Returns: The options.
    /// - Throws: `ValidationError` when a file or a URL cannot be used.
    func options(allowedHosts: [String]) async throws -> OpenIDOptions? {
        guard let oidcIssuer, let oidcClientId, let oidcClientSecretFile, let oidcRoles,
            let publicUrl
        else { return nil }
        let authorities: CertificateFile?
        do throws(CommandFailure) {
            authorities = try oidcCaFile.map { path throws(CommandFailure) in
                try CertificateFile(path, from: "--oidc-ca-file")
            }
        } catch {
            throw ValidationError(error.description)
        }
        do throws(OpenIDError) {
            let options = try OpenIDOptions(
                issuer: oidcIssuer, clientID: oidcClientId,
                clientSecret: try await Self.secret(inFile: oidcClientSecretFile),
                publicURL: publicUrl, rules: try await OpenIDRulesFile(path: oidcRoles),
                authorities: authorities?.certificates)
            let host = HostName(options.publicHost)
            guard host.isLoopback || allowedHosts.contains(where: { HostName($0) == host }) else {
                throw OpenIDError(
                    "The console does not accept the host of --public-url, "
                        + "\(options.publicHost.escapedForTerminal): give it as --allowed-host, too."
                )
            }
            return options
        } catch {
            throw ValidationError(error.description)
        }
    }

    /// The text of a file without the line break at its end.
    private static func secret(inFile path: String) async throws(OpenIDError) -> Secret {
        let data: Data
        do {
            data = try await onBlockingThread {
                let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
                defer { try? file.close() }
                return try file.read(upToCount: maximumSecretBytes + 1) ?? Data()
            }
        } catch {
            throw OpenIDError(
                "The file \(path.escapedForTerminal) of --oidc-client-secret-file cannot be read.")
        }
        let text = String(decoding: data, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard data.count <= maximumSecretBytes, let secret = Secret(argument: text) else {
            throw OpenIDError(
                "The file \(path.escapedForTerminal) of --oidc-client-secret-file is empty or has "
                    + "more than \(maximumSecretBytes) bytes: write the client secret alone to it.")
        }
        return secret
    }
}
