import Foundation
import JSONTree

/// What a provider says of itself (OpenID Connect Discovery 1.0, 3).
struct ProviderMetadata: Sendable {
    let authorizationEndpoint: ProviderURL
    let tokenEndpoint: ProviderURL
    let keys: ProviderURL
    let userInfoEndpoint: ProviderURL?
    let endSessionEndpoint: ProviderURL?

    /// True when the token endpoint accepts the secret in the body only.
    let needsSecretInBody: Bool

    /// True when the provider names itself in each answer to the browser (RFC 9207).
    let namesIssuer: Bool

    /// Where the metadata of an issuer is.
    static func address(ofIssuer issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer)
            + "/.well-known/openid-configuration"
    }

    /// Reads the metadata of an issuer.
    ///
    /// - Throws: An ``OpenIDError`` when they are of another issuer, or lack what a sign-in needs.
    init(jsonData: Data, issuer: String) throws(OpenIDError) {
        guard let node = try? JSONNode(jsonData: jsonData), node.objectValue != nil else {
            throw Self.error(issuer, "are no JSON object")
        }
        guard let found = node["issuer"]?.stringValue, found.hasSameBytes(as: issuer) else {
            throw Self.error(
                issuer,
                "name the issuer \(node["issuer"]?.stringValue?.quoted ?? "not at all"), which is "
                    + "not byte for byte the one of --oidc-issuer")
        }
        let isSecure = issuer.hasPrefix("https://")
        func endpoint(_ name: String) throws(OpenIDError) -> ProviderURL? {
            guard let value = node[name], value != .null else { return nil }
            let url = try ProviderURL(value.stringValue ?? "", named: name)
            guard url.components.scheme == "https" || !isSecure else {
                throw Self.error(issuer, "have \(name) without https")
            }
            return url
        }
        func needed(_ name: String) throws(OpenIDError) -> ProviderURL {
            guard let url = try endpoint(name) else { throw Self.error(issuer, "lack \(name)") }
            return url
        }
        authorizationEndpoint = try needed("authorization_endpoint")
        tokenEndpoint = try needed("token_endpoint")
        keys = try needed("jwks_uri")
        userInfoEndpoint = try endpoint("userinfo_endpoint")
        endSessionEndpoint = try endpoint("end_session_endpoint")
        let methods = node["token_endpoint_auth_methods_supported"]?.arrayValue
        needsSecretInBody =
            methods.map { !$0.contains("client_secret_basic") && $0.contains("client_secret_post") }
            ?? false
        namesIssuer =
            node["authorization_response_iss_parameter_supported"]?.boolValue ?? false
    }

    private static func error(_ issuer: String, _ problem: String) -> OpenIDError {
        OpenIDError(
            "The metadata at \(address(ofIssuer: issuer).quoted) \(problem).", isOfProvider: true)
    }
}
