package import Foundation
import JWTKit

/// JWTs of users, signed with HS256.
package enum UserToken: Sendable {
    /// The secret with which test servers sign and verify.
    package static let secret = "a secret of at least 32 bytes, for HS256"

    private struct Claims: JWTPayload {
        let sub: SubjectClaim
        let exp: ExpirationClaim

        func verify(using algorithm: some JWTAlgorithm) throws {
            try exp.verifyNotExpired()
        }
    }

    /// Signs a token of a user that expires after `lifetime` seconds.
    package static func make(
        _ userID: String, lifetime: TimeInterval = 600
    ) async throws -> String {
        let keys = await JWTKeyCollection().add(
            hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
        return try await keys.sign(
            Claims(
                sub: SubjectClaim(value: userID),
                exp: ExpirationClaim(value: Date(timeIntervalSinceNow: lifetime))))
    }

    /// Header field with a token.
    package static func field(_ userID: String, lifetime: TimeInterval = 600) async throws -> String
    {
        "Authorization: Bearer \(try await make(userID, lifetime: lifetime))"
    }
}
