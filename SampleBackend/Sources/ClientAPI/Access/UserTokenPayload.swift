import Foundation
import JWTKit

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
