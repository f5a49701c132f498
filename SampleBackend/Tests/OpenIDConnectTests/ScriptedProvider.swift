import Crypto
import Foundation
import HTTPServing
import JSONTree
import JWTKit
import NIOConcurrencyHelpers

@testable import OpenIDConnect

/// A provider that answers in the process, and signs with real keys.
final class ScriptedProvider: ProviderTransport {
    static let issuer = "https://login.example"
    static let clientID = "console"
    static let secret = "a client secret of this test"

    struct State: Sendable {
        var issuer = ScriptedProvider.issuer
        var metadata: JSONNode = [
            "issuer": .string(ScriptedProvider.issuer),
            "authorization_endpoint": "https://login.example/authorize?tenant=1",
            "token_endpoint": "https://login.example/token",
            "jwks_uri": "https://login.example/keys",
            "end_session_endpoint": "https://login.example/end",
        ]
        var keys: [JSONNode] = []
        var tokens: JSONNode = .emptyObject
        var userInfo: JSONNode?
        var requests: [ProviderRequest] = []
        /// Thrown instead of an answer.
        var error: OpenIDError?
        /// Awaited before the answer to an exchange.
        var hold: @Sendable () async -> Void = {}
    }

    let state = NIOLockedValueBox(State())

    func answer(to request: ProviderRequest) async throws(OpenIDError) -> ProviderAnswer {
        if request.url.hasSuffix("/token") { await state.withLockedValue(\.hold)() }
        let (body, error): (JSONNode?, OpenIDError?) = state.withLockedValue { state in
            state.requests.append(request)
            if let error = state.error { return (nil, error) }
            switch request.url {
            case "https://login.example/.well-known/openid-configuration":
                return (state.metadata, nil)
            case "https://login.example/keys": return (["keys": .array(state.keys)], nil)
            case "https://login.example/token": return (state.tokens, nil)
            case "https://login.example/userinfo": return (state.userInfo, nil)
            default: return (nil, nil)
            }
        }
        if let error { throw error }
        guard let body else { return ProviderAnswer(status: 404, body: Data()) }
        let status = body["error"] == nil ? 200 : 400
        return ProviderAnswer(status: status, body: body.jsonData())
    }

    func requests(of path: String) -> [ProviderRequest] {
        state.withLockedValue(\.requests).filter { $0.url.hasSuffix(path) }
    }
}

/// A key pair of a provider.
struct ProviderKey: Sendable {
    let id: String
    let algorithm: String
    /// The public part.
    let jwk: JSONNode
    let sign: @Sendable (Data) throws -> Data

    /// An elliptic-curve key for ES256.
    static func es256(_ id: String) -> ProviderKey {
        let key = P256.Signing.PrivateKey()
        let point = key.publicKey.rawRepresentation
        return ProviderKey(
            id: id, algorithm: "ES256",
            jwk: [
                "kty": "EC", "crv": "P-256", "kid": .string(id), "use": "sig",
                "x": .string(point.prefix(32).base64URL), "y": .string(point.suffix(32).base64URL),
            ]
        ) { try key.signature(for: $0).rawRepresentation }
    }

    /// An RSA key for RS256.
    static func rs256(_ id: String) async throws -> ProviderKey {
        let key = try Insecure.RSA.PrivateKey(pem: rsaPEM)
        let (modulus, exponent) = try key.publicKey.getKeyPrimitives()
        let collection = await JWTKeyCollection().add(rsa: key, digestAlgorithm: .sha256)
        let algorithm = try await collection.getKey()
        return ProviderKey(
            id: id, algorithm: "RS256",
            jwk: [
                "kty": "RSA", "alg": "RS256", "kid": .string(id),
                "n": .string(modulus.base64URL), "e": .string(exponent.base64URL),
            ]
        ) { Data(try algorithm.sign($0)) }
    }

    /// Made for this test, and used nowhere else.
    private static let rsaPEM = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQDFVzoThYx8uRzU
        qQrVPosmbPlrLLOwWLzUdU795lyFbGpqIxKuVD9sd7F9ss0qkF/wyh4T/ulML/DV
        k0ZyVYPyRzUZDbAc+gUSKtqb93UG+X3CZGvgaEl5Cix6sqa8iZFohW6jFGB6ikyT
        oR2/GxiT/lVO6VpZZlwWFwZR2tTXn8DdsW0EowSya/9XpbIfejdR1D+t6EKDYPNi
        3wkeXS6Pefp3X/LNZRsHi1z3plnWL0h/bImgAcE2gN8FD7t5QPKJIrIdwpjvSM1f
        m6TV4gd3IsIi1UDAcrBRjBGjOFEuzJlA45V3TYIopHVLmGdLCR5eEadPFxZ8NZz0
        A+IhrO+VAgMBAAECggEAYcwRGYSZM2RPr+pYVobI0hG2Z9E++bl4VzgNnhFwL6Uj
        dZcNFnzk8527xeX6/EmRalTYJCOzvZCSo115z4amvcZhP5nDehDDu5WmQh4YDo1N
        MC2xMoSsSMJseaAYtp3chHZ/9mzORVxNh+oUQlWs0Ab+gv1tS5nJMB9X/+/ZhEOk
        iFd9REgfd7mD3suro63VbV3W1yjUGF0agiyMFSjyij9qhCybwYgEhSULKpWc7X1R
        NRhP2vRRkOHKkjKmxuA3dq9CDCb1eSQ/B/f7bfzxmPNNj2I3TftikRbkZSzMo5EM
        L8Xq/A0KMsIRNAuDbMEdD9DjyagmtIx0NMIjPC80HwKBgQD+SUVLNaGRUiESAr94
        vjD/+OdljZPknWqjxVd82U8XY3Xnkgjf/XgRMLa/ZI5BPL4Pak6R0D72GOqbQSN1
        /BdU+9YPHXYxNrL7/9UWUbNVeZXW2/wntg8bs61rwLgjAyNRKeu38zC0vh1RWkHW
        gMtBvOSedByeeTYnIiIzhwBxuwKBgQDGq7S/1N3tiOLFklohqPBUGIu2AaOdoLdM
        WpkOWttW/PW773rBqBhn0hC13sm8WJYL+UTyETyIalQeQRr0HxPVnEkWgrpjODQD
        03QpXXdiOFgXxx+rRryxEEJyonPu17MCliFCn9p+83dTQBxLDfwACWXaJ0IdVIB7
        HnEnG5Mm7wKBgQDkgtfAhIuS2ilZ1BpY2SGThgv72MTEtymzzo2WZnqK3BiCZ1uO
        Xmtdl1dCm4yy13E8zR2aL3fFFBMQPfMt/cLB3iY5IxKpmywxBXBqRDVSZJbgpIPu
        886T6F257VAMNq+wKmnnvqVQZ2BVUTTFHKyLgMI6GsH1L5wYgrYVdAZULQKBgEQR
        VG5dSmQ2ACxdBlB+B0lo14VWbm51QBgC+mm2q2vUY4UuecqcAzCfAmatnETRvScB
        EqQ1T54VgBiVidyWQT9wuoHh7GZOPVQKQMRjZ6HZWCVdbfZK2B96SKnqCvqMIKME
        OQUQq9XPKNT3JDp64hpJHgJubPKLnzGProkNo481AoGBANLnDSXtluiqylv4/rrV
        f65v276M2nj/Rauy2KVDypp2y9Lx3x7r71OooG51+Hbh+d0BY1cRCHui/P/H+BUc
        HdHgpz9HDLOHK6xZ12AeysxRDfJdBXlwX1wVJ22C3gkOsaOVh7pjcsWMdzDD2lmq
        H1qm4n+YKsXfidgIsXZT+92K
        -----END PRIVATE KEY-----
        """

    /// A token with these claims.
    func token(_ claims: JSONNode, header changes: JSONNode = .emptyObject) throws -> String {
        var header: JSONNode = ["alg": .string(algorithm), "kid": .string(id), "typ": "JWT"]
        for (name, value) in changes.objectValue ?? [:] { header.setMember(name, value) }
        let signed = "\(header.jsonData().base64URL).\(claims.jsonData().base64URL)"
        return "\(signed).\(try sign(Data(signed.utf8)).base64URL)"
    }
}
