import Foundation
import JWTKit

/// What a user's token says: whose it is, from when to when it counts, who made it, and for whom.
struct UserTokenPayload: JWTPayload {
    /// The user's ID.
    let sub: SubjectClaim

    /// When it ends.
    let exp: ExpirationClaim?

    /// When it begins.
    let nbf: NotBeforeClaim?

    /// Who made it.
    let iss: IssuerClaim?

    /// What it is for: one text or several.
    let aud: AudienceClaim?

    /// Checks nothing; ``UserTokenRules`` does.
    func verify(using algorithm: some JWTAlgorithm) {}
}
