import Foundation
public import HTTPServing
public import NIOSSL

/// How people sign in to the console at an OpenID provider.
public struct OpenIDOptions: Sendable {
    /// Minimum length of a client secret, in bytes: it also protects the cookies of sign-ins.
    public static let minimumSecretBytes = 16

    /// The issuer: the address of the provider, exactly as the provider names itself.
    public let issuer: String

    /// The identifier of this server at the provider.
    public let clientID: String

    /// The secret of this server at the provider.
    public let clientSecret: Secret

    /// The origin at which browsers reach this server, such as `https://config.example`.
    ///
    /// The redirect URI begins with it, so no header field of a request decides where the provider
    /// sends a browser.
    public let publicOrigin: String

    /// The rules for roles.
    public let rules: OpenIDRulesFile

    /// The certificates that verify the provider's; nil means the system's.
    public let authorities: [NIOSSLCertificate]?

    /// Creates options.
    ///
    /// - Parameters:
    ///   - issuer: The issuer, an `https` URL; `http` for a loopback address only.
    ///   - clientID: The identifier of this server at the provider.
    ///   - clientSecret: Its secret.
    ///   - publicURL: The address at which browsers reach this server, without a path.
    ///   - rules: The rules for roles.
    ///   - authorities: The certificates that verify the provider's; nil means the system's.
    /// - Throws: An ``OpenIDError`` for a URL or a secret that cannot be used.
    public init(
        issuer: String, clientID: String, clientSecret: Secret, publicURL: String,
        rules: OpenIDRulesFile, authorities: [NIOSSLCertificate]? = nil
    ) throws(OpenIDError) {
        let issuerURL = try ProviderURL(issuer, named: "issuer")
        guard issuerURL.components.percentEncodedQuery == nil else {
            throw OpenIDError("The issuer \(issuer.quoted) has a query: give it without.")
        }
        let address = try ProviderURL(publicURL, named: "public URL")
        guard ["", "/"].contains(address.components.percentEncodedPath),
            address.components.percentEncodedQuery == nil
        else {
            throw OpenIDError(
                "The public URL \(publicURL.quoted) has a path: give the scheme, the host and the "
                    + "port alone.")
        }
        guard !clientID.isEmpty else { throw OpenIDError("The client ID is empty.") }
        guard clientSecret.text.utf8.count >= Self.minimumSecretBytes else {
            throw OpenIDError(
                "The client secret has \(clientSecret.text.utf8.count) bytes: this server needs at "
                    + "least \(Self.minimumSecretBytes).")
        }
        self.issuer = issuer
        self.clientID = clientID
        self.clientSecret = clientSecret
        publicOrigin = address.origin
        self.rules = rules
        self.authorities = authorities
    }

    /// The host at which browsers reach this server, without a port and brackets.
    public var publicHost: String {
        URLComponents(string: publicOrigin)?.host?.trimmingCharacters(in: ["[", "]"]) ?? ""
    }

    /// The path of the redirect URI.
    package static let callbackPath = "/console/openid/callback"

    /// Where the provider sends a browser after a sign-in.
    public var redirectURI: String { publicOrigin + Self.callbackPath }
}

/// An address that this server or a browser opens: `https`, or `http` on this machine.
struct ProviderURL: Sendable {
    /// In bytes.
    private static let maximumLength = 2_048

    let text: String
    let components: URLComponents

    init(_ text: String, named name: String) throws(OpenIDError) {
        guard text.utf8.count <= Self.maximumLength,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }),
            let components = URLComponents(string: text), let host = components.host, !host.isEmpty,
            components.user == nil, components.password == nil, components.fragment == nil
        else {
            throw OpenIDError(
                "The \(name) \(text.quoted) is not a URL such as https://login.example.")
        }
        let isLocal = HostName(host.trimmingCharacters(in: ["[", "]"])).isLoopback
        guard components.scheme == "https" || (components.scheme == "http" && isLocal) else {
            throw OpenIDError(
                "The \(name) \(text.quoted) does not begin with https://: only this machine's "
                    + "addresses may begin with http://.")
        }
        self.text = text
        self.components = components
    }

    /// Scheme, host and port, as browsers send them: without the port that the scheme implies.
    var origin: String {
        let scheme = components.scheme ?? "https"
        let host = (components.percentEncodedHost ?? "").lowercased()
        let implied = scheme == "https" ? 443 : 80
        let port = components.port.flatMap { $0 == implied ? nil : ":\($0)" } ?? ""
        return "\(scheme)://\(host)\(port)"
    }

    /// The URL with more parameters in its query.
    func adding(_ parameters: [(name: String, value: String)]) -> String {
        let query = FormText.encoded(parameters)
        return text + (text.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query
    }
}

/// Names and values as `application/x-www-form-urlencoded`.
enum FormText: Sendable {
    static func encoded(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
    }

    /// Escapes all but the unreserved characters (RFC 3986, 2.3).
    static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
