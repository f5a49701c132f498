package import Foundation
import HTTPServing
import JSONTree
package import TemplateStore

/// A new console session: the text of its cookie and the stored part.
///
/// A session ends after its lifetime, at sign-out, or with the token that started it; a person's
/// without a token when no rule allows it any more. Because it is
/// stored, it survives a restart and a sign-out takes effect in every process. The cookie does not
/// reveal the administrator's token.
package struct AdministratorSession: Sendable {
    /// 12 hours, in seconds.
    static let lifetime: TimeInterval = 43_200

    /// The prefix of session names, which distinguishes sessions from tokens in the audit trail.
    static let namePrefix = "Console session of "

    /// The value of the cookie: 256 random bits.
    package let text: String

    package let stored: StoredSession

    /// Creates a session for the holder of a token; it ends no later than the token.
    package init(of holder: AdministratorAccess.Holder, date: Date) {
        text = Data.random(bytes: 32).base64URL
        let end = date + Self.lifetime
        stored = StoredSession(
            id: Data.random(bytes: 6).hexadecimal, tokenID: holder.tokenID,
            name: Self.namePrefix + holder.administrator.name, role: holder.administrator.role,
            person: holder.administrator.person, hash: Self.hash(of: text), creationDate: date,
            expirationDate: min(end, holder.expirationDate ?? end))
    }

    /// The stored hash of a session.
    ///
    /// It differs from the hash of a token with the same text, so neither is accepted as the other.
    static func hash(of text: String) -> Data {
        .sha256(of: "activeconfig console session \(text)")
    }
}
