import ClientAPI
import Foundation
import HTTPServing
import JSONTree

/// An ID token whose signature is not checked yet (OpenID Connect Core 1.0, 2).
struct IDToken: Sendable {
    /// Maximum size of a token, in bytes; tokens with many groups are large.
    private static let maximumBytes = 64 << 10

    /// Tolerated difference between the clocks, in seconds.
    static let maximumClockDifference: TimeInterval = 60

    /// The longest time between the issue of a token and its use, in seconds: this server receives
    /// it from the provider at once.
    private static let maximumAge: TimeInterval = 600

    let keyID: String?
    let algorithm: String
    let claims: JSONNode
    private let signedBytes: Data
    private let signature: Data

    /// Parses a token that requires no extensions (`crit`).
    init(_ text: String) throws(OpenIDError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.maximumBytes, parts.count == 3,
            let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Data(base64URL: String(parts[2])),
            let algorithm = header["alg"]?.stringValue
        else { throw Self.error("it is not a JWT") }
        guard header["crit"] == nil else { throw Self.error("its header has \"crit\"") }
        self.algorithm = algorithm
        keyID = header["kid"]?.stringValue
        self.claims = claims
        self.signature = signature
        signedBytes = Data("\(parts[0]).\(parts[1])".utf8)
    }

    private static func object(_ part: Substring) -> JSONNode? {
        guard let data = Data(base64URL: String(part)), let node = try? JSONNode(jsonData: data),
            node.objectValue != nil
        else { return nil }
        return node
    }

    /// Checks the signature with the public keys of the provider.
    ///
    /// Each key has one algorithm, and none of them is `none` or a HMAC, so the header of a token
    /// cannot choose how a key is used.
    ///
    /// - Throws: An ``OpenIDError``.
    func checkSignature(by keys: [UserTokenKey]) throws(OpenIDError) {
        let fitting = keys.filter { $0.fits(algorithm: algorithm, id: keyID) }
        guard !fitting.isEmpty else {
            throw Self.error(
                "the provider has no public key for the algorithm \(algorithm.quoted) and the kid "
                    + (keyID?.quoted ?? "that it does not name"))
        }
        guard fitting.contains(where: { $0.hasSigned(signedBytes, as: signature) }) else {
            throw Self.error("its signature is invalid")
        }
    }

    /// Checks the claims (OpenID Connect Core 1.0, 3.1.3.7), and returns the subject.
    ///
    /// - Throws: An ``OpenIDError``.
    func checkedSubject(
        issuer: String, clientID: String, nonce: String, at date: Date
    ) throws(OpenIDError) -> String {
        guard claims["iss"]?.stringValue?.hasSameBytes(as: issuer) == true else {
            throw Self.error("it is of another issuer (iss)")
        }
        let audiences =
            claims["aud"]?.arrayValue?.map(\.stringValue) ?? [claims["aud"]?.stringValue]
        guard audiences.contains(where: { $0?.hasSameBytes(as: clientID) == true }) else {
            throw Self.error("it is for another audience (aud)")
        }
        if let party = claims["azp"] {
            guard party.stringValue?.hasSameBytes(as: clientID) == true else {
                throw Self.error("it was issued to another client (azp)")
            }
        } else if audiences.count > 1 {
            throw Self.error("it has several audiences, and names no client (azp)")
        }
        try checkTimes(at: date)
        guard let found = claims["nonce"]?.stringValue,
            Data(found.utf8).equalsInConstantTime(Data(nonce.utf8))
        else { throw Self.error("it is of another sign-in (nonce)") }
        guard let subject = claims["sub"]?.stringValue, (1...255).contains(subject.utf8.count),
            subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { throw Self.error("it names no subject (sub) of 1 to 255 ASCII characters") }
        return subject
    }

    private func checkTimes(at date: Date) throws(OpenIDError) {
        guard let end = time("exp"), let begin = time("iat") else {
            throw Self.error("it lacks the times exp and iat")
        }
        guard end > date - Self.maximumClockDifference else { throw Self.error("it expired (exp)") }
        let earliest = max(begin, time("nbf") ?? begin)
        guard earliest <= date + Self.maximumClockDifference else {
            throw Self.error(
                "it is of the future (iat): compare this machine's clock with the provider's")
        }
        guard begin >= date - Self.maximumAge - Self.maximumClockDifference else {
            throw Self.error(
                "it is too old (iat): compare this machine's clock with the provider's")
        }
    }

    private func time(_ name: String) -> Date? {
        claims[name]?.doubleValue.flatMap {
            $0.isFinite && abs($0) < 1e12 ? Date(timeIntervalSince1970: $0) : nil
        }
    }

    private static func error(_ problem: String) -> OpenIDError {
        OpenIDError("The provider's ID token is refused: \(problem).", isOfProvider: true)
    }
}
