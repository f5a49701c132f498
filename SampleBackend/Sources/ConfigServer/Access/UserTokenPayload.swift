import JWTKit

/// What a user's token says: whose it is, and from when to when it counts.
struct UserTokenPayload: JWTPayload {
    /// The user's ID.
    let sub: SubjectClaim

    /// When it ends.
    let exp: ExpirationClaim?

    /// When it begins.
    let nbf: NotBeforeClaim?

    /// Refuses a token that has ended, or has not begun.
    func verify(using algorithm: some JWTAlgorithm) async throws {
        try exp?.verifyNotExpired()
        try nbf?.verifyNotBefore()
    }
}
