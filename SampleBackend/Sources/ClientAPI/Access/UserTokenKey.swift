package import Foundation
import HTTPServing
import JSONTree
import JWTKit

/// A public key, or the secret of user tokens, that verifies signatures with one fixed algorithm.
///
/// A key that allows several algorithms is stored once per algorithm, so a token's header cannot
/// determine how the key is interpreted (algorithm confusion).
package struct UserTokenKey: Sendable {
    /// The `kid` of the key set; nil matches every token.
    let id: String?

    let algorithm: any JWTAlgorithm

    /// True when a token with this `alg` and `kid` may be signed with the key; a nil `kid` matches
    /// every key.
    package func fits(algorithm name: String, id other: String?) -> Bool {
        guard algorithm.name == name else { return false }  // names: our own literals, in ASCII
        guard let id, let other else { return true }
        return id.hasSameBytes(as: other)
    }

    /// True when the key has signed the bytes.
    package func hasSigned(_ bytes: some DataProtocol, as signature: Data) -> Bool {
        (try? algorithm.verify(signature, signs: bytes)) ?? false
    }

    /// An HS256 key from a shared secret.
    static func key(of secret: Secret) async throws -> UserTokenKey {
        let keys = await JWTKeyCollection()
            .add(hmac: HMACKey(from: secret.text), digestAlgorithm: .sha256)
        return UserTokenKey(id: nil, algorithm: try await keys.getKey())
    }
}

extension UserTokenKey {
    /// Maximum size of a key set file.
    package static let maximumKeySetBytes = 1 << 20

    /// Parses a JWKS file (RFC 7517) and returns at least one key.
    ///
    /// Keys that cannot verify signatures, or whose type is not supported, are skipped.
    package static func keys(ofSet data: Data) async throws(UserTokenKeyError) -> [UserTokenKey] {
        guard data.count <= maximumKeySetBytes else {
            throw UserTokenKeyError("it has more than \(maximumKeySetBytes) bytes")
        }
        guard let nodes = try? JSONNode(jsonData: data)["keys"]?.arrayValue else {
            throw UserTokenKeyError("it contains no JSON object with an array \"keys\"")
        }
        var result: [UserTokenKey] = []
        for node in nodes where isForSignatures(node) {
            for algorithm in algorithms(of: node) {
                guard let key = try? await key(node, algorithm: algorithm) else { continue }
                result.append(key)
            }
        }
        guard !result.isEmpty else {
            throw UserTokenKeyError(
                "it has no public key for signatures: RSA of 2,048 bits or more, EC or Ed25519")
        }
        return result
    }

    /// True when the key allows verification or does not restrict its use.
    private static func isForSignatures(_ node: JSONNode) -> Bool {
        if let use = node["use"], use != "sig" { return false }
        if let operations = node["key_ops"] {
            // Private keys list `sign`; their public part can verify.
            return operations.arrayValue?.contains { $0 == "verify" || $0 == "sign" } ?? false
        }
        return true
    }

    /// The algorithm that the key names, or else all that its type and curve allow.
    private static func algorithms(of node: JSONNode) -> [JWK.Algorithm] {
        let possible: [JWK.Algorithm] =
            switch (node["kty"]?.stringValue, node["crv"]?.stringValue) {
            case ("RSA", _): [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
            case ("EC", "P-256"): [.es256]
            case ("EC", "P-384"): [.es384]
            case ("EC", "P-521"): [.es512]
            case ("OKP", "Ed25519"): [.eddsa]
            default: []
            }
        guard let name = node["alg"] else { return possible }
        return possible.filter { $0.rawValue == name.stringValue }
    }

    private static func key(
        _ node: JSONNode, algorithm: JWK.Algorithm
    ) async throws -> UserTokenKey {
        // JWTKit requires an identifier, which has no effect in a collection of one key.
        let id = JWKIdentifier(string: "key")
        let (x, y) = (node["x"]?.stringValue, node["y"]?.stringValue)
        let jwk: JWK =
            switch node["kty"]?.stringValue {
            case "RSA":
                .rsa(
                    algorithm, identifier: id, modulus: node["n"]?.stringValue,
                    exponent: node["e"]?.stringValue)
            case "OKP":
                .octetKeyPair(algorithm, identifier: id, x: x, y: nil, curve: .ed25519)
            default:
                .ecdsa(algorithm, identifier: id, x: x, y: y, curve: nil)
            }
        let collection = try await JWTKeyCollection().add(jwk: jwk)
        return UserTokenKey(
            id: node["kid"]?.stringValue, algorithm: try await collection.getKey())
    }
}

/// A failure to load the keys for user tokens.
public struct UserTokenKeyError: Error, Sendable, CustomStringConvertible {
    /// The problem of the key set, phrased as the end of a sentence.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
