import Foundation
import JSONTree
import JWTKit
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

/// Keys of `--user-token-jwks`, and required claims of users' tokens.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UserTokenKeysTests {
    /// Claims of a token that JWTKit signs.
    private struct Claims: JWTPayload {
        var sub: SubjectClaim? = "ada"
        var exp: ExpirationClaim? = ExpirationClaim(value: Date() + 600)
        var nbf: NotBeforeClaim?
        var iss: IssuerClaim?
        var aud: AudienceClaim?

        func verify(using algorithm: some JWTAlgorithm) throws {}
    }

    /// Private key generated for these tests and used nowhere else.
    private static let privateKey = """
        -----BEGIN PRIVATE KEY-----
        MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQC/qy36Bu4et6xh
        DfnAYG50NGswDm/oUOSANASXqwJzQcwqfvVBB+gLzNkMgSKBHJ86eA+YTMYDL03n
        dPhAtx6SHWbI22TZ4zeN1/fQaNXWU63mSr4r2m8NX/QKAEPe4k1Oqk37k5T7ML8f
        43BVJ4NqJ51V5yVoC+BjWedEVehsuZIaEnVJC6RpqRec4DgqGrrnbW2JD1+Ly+tr
        HCKS4tlqybu9DYrHmwssJX24/Pdd0JDYE4XRn7WV3BoKpQnSVzPxq5vYBn3bVcrZ
        k02NjcGlOjB2vNcxvpFfYllHuMkkwBMItGIpVV9SIQQXlG3iEAbkyLFPHxtDL7an
        R9QVa8LDAgMBAAECggEAFJHxBb/fp2FL+UCQOMLAp+0GQeqSvQqNc2rhwUtDoI4D
        tN3aQWfxUe7irnJfex7QwewntE8tAyN9B2WozP06JTFNmindmXrGuAzhFjdiF7X0
        WF5WKYuwVm2hWb9siUudQ1+IrgLJPuoc4PW+VQ1AD9D/lDwR6ig4JUF9TfqwTpau
        WKpsqnFaZpXrU2ZVS3P8BwSakclqvfJS7aZdbEFntYKPYmkyuE0e74eMb1sgMqzv
        wbEB92qyehuDKYiPPr4qlnmwh4WV60saV6rkJ6ENfq9D391kMYixBLjLqquCItc8
        A/l+2j4JOugcLCBCNCDuMAglYNlWPzwgU9ZdjQ4ChQKBgQDfRURoK24C3sAGxmHM
        m75Hoy6/cwkmwPCoqNBcX7n5QpM/RWG3VL7F9J7U/XO8LGJ1wNxbw1pmO6Wu5aDx
        n6QlJGk2tZlPLFYUUg6hoyNtdnrgEyI13UD5L57fKcUtEDefG9LMe/ceBmxSBABP
        uMy8vRxdv+mMjzs9ymqVatRlRwKBgQDbw/rA0E6sQ4q+3BM0egXqoZlXpYVbOqqa
        KvtjZShUuOshKoGLulm0cP9x1K8xC6UWGX+3aD0f3HE6BlyHmVfHmoear3GECh5a
        wxePH+4Qa6YNW9wkosRd9ELHyjtIbTg4aIEHckNbxtyaMPjMfWiMhtb8u+WuIR1q
        r/YSX7OkpQKBgFZ885nSsQPlm8dEE+B5uETx3osFGddsSA1dj5Eo99apxnZs/wRQ
        jLIMJ3bkU2/iVaW9tt7JFvyhQHY2t5jBuYk1yJgL0r6LszCd9NMCahfeHI0ufEMX
        WTLuEoHqIVpqfNFiqs7RepGj9VPz/tbjBFRcgV+Dlwn+9fjir1UAFBTDAoGAVFGg
        TwRdexi7DjmwIK1Ewd5Y0FkQjo020cn2BA/W5pLAnEwLwkmwi1vjlpAs25uFLrJ/
        3yXedfAFfWbdb6V1GX9/0ejInAmp1dcOnfp5Q9GZt3xsPZ45y3ahfLhqAILvVC08
        fFfp4jetgneRrhvb1jcSG4wYNrQ77igvOKOBcIUCgYA9mWVnDiR4Py7FaycbExoX
        zbVevS2yFHGXRaW6wSvgnr0h55MqASQzpgHu/O3ayaZptQMFynjzwY/KINv+FmmC
        6OBIYKoWX1v+gdHE1NanZx/tLZXw2v5Buxv3jc9W8XTACcI3sZWhP8sqkINta/Wr
        MXN1DZilzS3TSxqYAjlmfQ==
        -----END PRIVATE KEY-----
        """

    private static func rsaKey() throws -> Insecure.RSA.PrivateKey {
        try Insecure.RSA.PrivateKey(pem: privateKey)
    }

    /// Public part of the RSA key as a JWK.
    private static func rsaJWK(_ members: [String: JSONNode] = [:]) throws -> JSONNode {
        let (modulus, exponent) = try rsaKey().publicKey.getKeyPrimitives()
        var node: JSONNode = [
            "kty": "RSA", "kid": "one", "n": .string(base64URL(modulus)),
            "e": .string(base64URL(exponent)),
        ]
        for (name, value) in members { node.setMember(name, value == .null ? nil : value) }
        return node
    }

    private static func base64URL(_ data: Data) -> String { base64URL(data.base64EncodedString()) }

    private static func base64URL(_ text: String) -> String {
        text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Public part of a P-256 key as a JWK.
    private static func jwk(
        of key: ES256PrivateKey, kid: String, _ members: [String: JSONNode] = [:]
    ) throws -> JSONNode {
        let parameters = try #require(key.parameters)
        var node: JSONNode = [
            "kty": "EC", "crv": "P-256", "kid": .string(kid),
            "x": .string(base64URL(parameters.x)), "y": .string(base64URL(parameters.y)),
        ]
        for (name, value) in members { node.setMember(name, value) }
        return node
    }

    private static func keySet(_ keys: [JSONNode]) -> String {
        (["keys": .array(keys)] as JSONNode).description
    }

    /// Starts a server that accepts tokens signed with the given keys.
    private static func backend(
        keys: [JSONNode], in folder: TemporaryFolder, _ arguments: [String] = []
    ) async throws -> RunningBackend {
        let file = try folder.write(keySet(keys), to: "keys.json")
        return try await RunningBackend(["--dev", "--user-token-jwks", file] + arguments)
    }

    /// Status of Ada's document.
    private static func status(_ token: String, _ backend: RunningBackend) async throws -> Int {
        try await backend.answer(
            "/activeconfig/user/ada", fields: ["Authorization: Bearer \(token)"]
        ).status
    }

    /// Token with an invalid signature.
    private static func junk(_ algorithm: String, kid: String? = "one") -> String {
        let header: JSONNode = [
            "alg": .string(algorithm), "typ": "JWT", "kid": kid.map { .string($0) } ?? .null,
        ]
        let payload: JSONNode = ["sub": "ada", "exp": .number("9999999999")]
        return [header.description, payload.description, "junk"]
            .map { base64URL(Data($0.utf8)) }.joined(separator: ".")
    }

    private static func rsaToken(
        _ algorithm: String = "RS256", kid: String? = "one", claims: Claims = Claims()
    ) async throws -> String {
        let keys = JWTKeyCollection()
        let key = try rsaKey()
        switch algorithm {
        case "PS256": await keys.add(pss: key, digestAlgorithm: .sha256)
        case "RS512": await keys.add(rsa: key, digestAlgorithm: .sha512)
        default: await keys.add(rsa: key, digestAlgorithm: .sha256)
        }
        var header = JWTHeader()
        header.kid = kid
        return try await keys.sign(claims, header: header)
    }

    @Test(arguments: ["RS512", "RS384", "PS256", "ES256", "HS256", "EdDSA", "RSA-OAEP", "none"])
    func aJunkTokenLocksNoUserOut(algorithm: String) async throws {
        let folder = try TemporaryFolder()
        let backend = try await Self.backend(keys: [Self.rsaJWK()], in: folder)
        #expect(try await Self.status(Self.junk(algorithm), backend) == 401)
        #expect(try await Self.status(Self.rsaToken(), backend) == 200)
        #expect(try await Self.status(Self.rsaToken("RS512"), backend) == 200)
        #expect(try await Self.status(Self.rsaToken("PS256"), backend) == 200)
        #expect(try await Self.status(Self.rsaToken(kid: nil), backend) == 200)
        _ = await backend.stop()
    }

    @Test func aKeyIsUsedForWhatItSaysAlone() async throws {
        let folder = try TemporaryFolder()
        let curve = ES256PrivateKey()
        let backend = try await Self.backend(
            keys: [
                Self.rsaJWK(["alg": "RS512"]),
                Self.rsaJWK(["kid": "enc", "use": "enc"]),
                Self.rsaJWK(["kid": "ops", "key_ops": ["encrypt"]]),
                Self.rsaJWK(["kid": "sig", "use": "sig", "key_ops": ["verify"]]),
                ["kty": "oct", "kid": "oct", "k": "czNjcjN0"], ["kty": "later", "kid": "later"],
                Self.jwk(of: curve, kid: "curve"), Self.jwk(of: curve, kid: "one"),
            ], in: folder)
        #expect(try await Self.status(Self.rsaToken("RS512"), backend) == 200)
        #expect(try await Self.status(Self.rsaToken("RS256"), backend) == 401)
        #expect(try await Self.status(Self.rsaToken(kid: "enc"), backend) == 401)
        #expect(try await Self.status(Self.rsaToken(kid: "ops"), backend) == 401)
        #expect(try await Self.status(Self.rsaToken(kid: "sig"), backend) == 200)
        for kid in ["curve", "one"] {
            let keys = await JWTKeyCollection().add(ecdsa: curve, kid: "k")
            var header = JWTHeader()
            header.kid = kid
            let token = try await keys.sign(Claims(), header: header)
            #expect(try await Self.status(token, backend) == 200, "\(kid)")
        }
        // The text of a public key is not accepted as a secret of HS256.
        let confused = await JWTKeyCollection().add(
            hmac: HMACKey(from: try Self.rsaKey().publicKey.pemRepresentation),
            digestAlgorithm: .sha256)
        #expect(try await Self.status(confused.sign(Claims()), backend) == 401)
        _ = await backend.stop()
    }

    @Test(arguments: [
        "", "{}", #"{"keys":[]}"#, #"{"keys":[{"kty":"oct","kid":"a","k":"AAAA"}]}"#,
        #"{"keys":[{"kty":"RSA","kid":"a","n":"AQAB","e":"AQAB"}]}"#,
    ])
    func aFileWithoutAUsableKeyIsRefused(content: String) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(content, to: "keys.json")
        let run = try await CommandRun(["serve", "--port", "0", "--user-token-jwks", file])
        #expect(run.exitCode == 64, "\(run)")
        #expect(run.error.contains("--user-token-jwks"), "\(run)")
    }

    @Test func aSignalReplacesTheKeysUnlessTheFileIsBroken() async throws {
        let folder = try TemporaryFolder()
        let backend = try await Self.backend(keys: [Self.rsaJWK()], in: folder)
        let target = "/activeconfig/user/ada/events"
        let field = "Authorization: Bearer \(try await Self.rsaToken())"
        try await EventStreamClient.open(port: backend.port, target, fields: [field]) { stream in
            #expect(stream.head.hasPrefix("HTTP/1.1 200 "))
            _ = try folder.write(Self.keySet([Self.rsaJWK(["kid": "two"])]), to: "keys.json")
            #expect(try await Self.status(Self.rsaToken(), backend) == 200)
            backend.process.send(signal: SIGHUP)
            let reloaded = await backend.process.errorLines.first {
                $0.contains("Reloaded the key set of user tokens")
            }
            #expect(reloaded?.contains(folder.path("keys.json")) == true)
            #expect(try await Self.status(Self.rsaToken(), backend) == 401)
            #expect(try await Self.status(Self.rsaToken(kid: "two"), backend) == 200)
            _ = try folder.write(#"{"keys": ["#, to: "keys.json")
            backend.process.send(signal: SIGHUP)
            let failed = await backend.process.errorLines.first {
                $0.contains("The key set of user tokens could not be reloaded")
            }
            #expect(failed?.contains(folder.path("keys.json")) == true)
            #expect(failed?.contains("JSON") == true, "\(failed ?? "")")
            #expect(try await Self.status(Self.rsaToken(kid: "two"), backend) == 200)
            let published = try await backend.administer(
                "PUT", "/v1/projects/default/remoteConfig", ifMatch: "*",
                body: AdministrationTarget.templateText(title: "after"))
            #expect(published.status == 200)
            // deadline: each round waits for an event
            while try await stream.next().name != "update" {}
        }
        _ = await backend.stop()
    }

    @Test func theFileIsReadAgainForAnUnknownKey() async throws {
        let folder = try TemporaryFolder()
        let backend = try await Self.backend(keys: [Self.rsaJWK()], in: folder)
        #expect(try await Self.status(Self.rsaToken(), backend) == 200)
        _ = try folder.write(
            Self.keySet([Self.rsaJWK(["kid": "two"])]), to: "keys.json")
        #expect(try await Self.status(Self.rsaToken(kid: "two"), backend) == 200)
        #expect(try await Self.status(Self.rsaToken(kid: "one"), backend) == 401)
        // The file is not read again within the same minute.
        _ = try folder.write(
            Self.keySet([Self.rsaJWK(["kid": "three"])]), to: "keys.json")
        #expect(try await Self.status(Self.rsaToken(kid: "three"), backend) == 401)
        #expect(try await Self.status(Self.rsaToken(kid: "two"), backend) == 200)
        _ = await backend.stop()
    }

    @Test func aBrokenFileKeepsTheKeysThatWereRead() async throws {
        let folder = try TemporaryFolder()
        let backend = try await Self.backend(keys: [Self.rsaJWK()], in: folder)
        _ = try folder.write("{", to: "keys.json")
        #expect(try await Self.status(Self.rsaToken(kid: "two"), backend) == 401)
        #expect(try await Self.status(Self.rsaToken(), backend) == 200)
        let log = await backend.stop()
        #expect(log.contains { $0.contains("keys.json") && $0.contains("warning") }, "\(log)")
    }

    @Test func aTokenNeedsAnEnd() async throws {
        let folder = try TemporaryFolder()
        let endless = try await Self.rsaToken(claims: Claims(exp: nil))
        let backend = try await Self.backend(keys: [Self.rsaJWK()], in: folder)
        #expect(try await Self.status(endless, backend) == 401)
        _ = await backend.stop()
        let other = try await Self.backend(
            keys: [Self.rsaJWK()], in: folder, ["--user-token-without-expiry"])
        #expect(try await Self.status(endless, other) == 200)
        let ended = try await Self.rsaToken(claims: Claims(exp: ExpirationClaim(value: Date() - 5)))
        #expect(try await Self.status(ended, other) == 401)
        _ = await other.stop()
    }

    @Test func aTokenIsOfTheIssuerAndForTheAudience() async throws {
        let folder = try TemporaryFolder()
        let backend = try await Self.backend(
            keys: [Self.rsaJWK()], in: folder,
            ["--user-token-issuer", "https://id.example", "--user-token-audience", "config"])
        let rows: [(Claims, Int)] = [
            (Claims(iss: "https://id.example", aud: "config"), 200),
            (
                Claims(iss: "https://id.example", aud: AudienceClaim(value: ["other", "config"])),
                200
            ),
            (Claims(iss: "https://id.example", aud: AudienceClaim(value: ["other"])), 401),
            (Claims(iss: "https://id.example"), 401),
            (Claims(iss: "https://id.example/", aud: "config"), 401), (Claims(aud: "config"), 401),
            (Claims(sub: nil, iss: "https://id.example", aud: "config"), 401),
            (
                Claims(
                    nbf: NotBeforeClaim(value: Date() + 600), iss: "https://id.example",
                    aud: "config"), 401
            ),
            // The server tolerates small differences between clocks.
            (
                Claims(
                    nbf: NotBeforeClaim(value: Date() + 20), iss: "https://id.example",
                    aud: "config"), 200
            ),
        ]
        for (claims, status) in rows {
            let token = try await Self.rsaToken(claims: claims)
            #expect(try await Self.status(token, backend) == status, "\(claims)")
        }
        _ = await backend.stop()
        let run = try await CommandRun(["serve", "--port", "0", "--user-token-issuer", "x"])
        #expect(run.exitCode == 64, "\(run)")
    }
}
