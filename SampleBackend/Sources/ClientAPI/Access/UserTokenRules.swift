import Foundation
import JSONTree
import JWTKit

/// The claims that a user token needs in addition to `sub` (HTTP 5).
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

    /// The longest lifetime that is reported, in seconds; a token that expires later counts as
    /// endless.
    private static let longestTime: TimeInterval = 100 * 365 * 86_400

    /// Creates the default rules: any issuer and audience, and a required expiration.
    public init() {}

    /// True when a token whose signature was verified is valid at a time.
    func allow(_ payload: UserTokenPayload, at date: Date) -> Bool {
        if let issuer, payload.iss?.value.hasSameBytes(as: issuer) != true { return false }
        if let audience,
            payload.aud?.value.contains(where: { $0.hasSameBytes(as: audience) }) != true
        {
            return false
        }
        if let begin = payload.nbf?.value, begin > date + Self.maximumClockDifference {
            return false
        }
        guard let end = payload.exp?.value else { return !needsExpiration }
        return end > date
    }

    /// The expiration of a token; nil means never.
    static func expirationDate(of payload: UserTokenPayload, at date: Date) -> Date? {
        guard let end = payload.exp?.value, end < date + longestTime else { return nil }
        return end
    }
}

/// The claims of a user token.
struct UserTokenPayload: JWTPayload {
    let sub: SubjectClaim
    let exp: ExpirationClaim?
    let nbf: NotBeforeClaim?
    let iss: IssuerClaim?
    let aud: AudienceClaim?

    /// Accepts everything; ``UserTokenRules`` checks the claims.
    func verify(using algorithm: some JWTAlgorithm) {}
}
