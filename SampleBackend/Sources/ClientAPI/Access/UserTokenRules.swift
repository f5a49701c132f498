import Foundation
import JWTKit

/// What a user's token has to say besides whose it is (HTTP 5).
public struct UserTokenRules: Sendable, Hashable {
    /// The `iss` of each token, byte for byte; nil takes any.
    public var issuer: String?

    /// What has to be among the `aud` of each token, byte for byte; nil takes any.
    public var audience: String?

    /// Whether a token needs an end, `exp`.
    public var needsExpiration = true

    /// How long before its `nbf` a token counts, in seconds, since clocks differ.
    ///
    /// At `exp` it ends to the second.
    static let maximumClockDifference: TimeInterval = 60

    /// The longest time to an end that is told; what ends later counts as endless.
    private static let longestTime: TimeInterval = 100 * 365 * 86_400

    /// Makes rules: any issuer and audience, and an end.
    public init() {}

    /// Whether a token that is signed counts.
    func allow(_ payload: UserTokenPayload, at date: Date) -> Bool {
        if let issuer, payload.iss?.value.utf8.elementsEqual(issuer.utf8) != true { return false }
        if let audience,
            payload.aud?.value.contains(where: { $0.utf8.elementsEqual(audience.utf8) }) != true
        {
            return false
        }
        if let begin = payload.nbf?.value, begin > date + Self.maximumClockDifference {
            return false
        }
        guard let end = payload.exp?.value else { return !needsExpiration }
        return end > date
    }

    /// When a token ends; nil means never.
    static func expirationDate(of payload: UserTokenPayload, at date: Date) -> Date? {
        guard let end = payload.exp?.value, end < date + longestTime else { return nil }
        return end
    }
}
