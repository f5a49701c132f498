import Foundation
import JSONTree
import JWTKit

/// The claims that a user token must have in addition to `sub` (PROTOCOL 1).
public struct UserTokenRules: Sendable, Hashable {
    /// The required `iss`, compared byte by byte; nil accepts any.
    public var issuer: String?

    /// A value that `aud` must contain, compared byte by byte; nil accepts any.
    public var audience: String?

    /// A Boolean value that indicates whether a token must have an expiration, `exp`.
    public var needsExpiration = true

    /// Tolerated clock skew before `nbf`, in seconds.
    ///
    /// There is none after `exp`.
    static let maximumClockDifference: TimeInterval = 60

    /// The longest reported lifetime, in seconds; a token that expires later counts as one without
    /// expiration.
    private static let longestTime: TimeInterval = 100 * 365 * 86_400

    /// Creates the default rules: any issuer and audience, and a required expiration.
    public init() {}

    /// Checks that a token with a verified signature is valid at a time, and returns its user's ID.
    func check(_ payload: UserTokenPayload, at date: Date) throws(UserTokenRefusal) -> String {
        guard let subject = payload.sub?.value else { throw .noSubject }
        if let issuer, payload.iss?.value.hasSameBytes(as: issuer) != true {
            throw .issuer(payload.iss?.value, expected: issuer)
        }
        let audiences = payload.aud?.value ?? []
        if let audience, !audiences.contains(where: { $0.hasSameBytes(as: audience) }) {
            throw .audience(audiences, expected: audience)
        }
        if let begin = payload.nbf?.value, begin > date + Self.maximumClockDifference {
            throw .tooEarly(begin)
        }
        if let end = payload.exp?.value {
            if end <= date { throw .expired(end) }
        } else if needsExpiration {
            throw .noExpiration
        }
        return subject
    }

    /// The expiration of a token; nil means never.
    static func expirationDate(of payload: UserTokenPayload, at date: Date) -> Date? {
        guard let end = payload.exp?.value, end < date + longestTime else { return nil }
        return end
    }
}

/// The claims of a user token.
struct UserTokenPayload: JWTPayload {
    let sub: SubjectClaim?
    let exp: ExpirationClaim?
    let nbf: NotBeforeClaim?
    let iss: IssuerClaim?
    let aud: AudienceClaim?

    /// Accepts everything; ``UserTokenRules`` checks the claims.
    func verify(using algorithm: some JWTAlgorithm) {}
}
