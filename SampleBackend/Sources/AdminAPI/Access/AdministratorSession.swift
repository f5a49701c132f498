package import Foundation
import HTTPServing
import JSONTree
package import TemplateStore

/// A new session of the console: the text of its cookie, and the part that is stored.
///
/// A session ends after its lifetime, at sign-out, and with the token with which it began. Because it
/// is stored, sign-out takes effect in every process and survives a restart, and the cookie does not
/// reveal the administrator's token.
package struct AdministratorSession: Sendable {
    /// In seconds: 12 hours.
    static let lifetime: TimeInterval = 43_200

    /// Beginning of a session's name, by which the audit trail tells a session from a token.
    static let namePrefix = "Console session of "

    /// The value of the cookie: 256 random bits.
    package let text: String

    package let stored: StoredSession

    /// A session for the holder of a token; it ends no later than that token.
    package init(of holder: AdministratorAccess.Holder, date: Date) {
        text = Data.random(bytes: 32).base64URL
        let end = date + Self.lifetime
        stored = StoredSession(
            id: Data.random(bytes: 6).hexadecimal, tokenID: holder.tokenID,
            name: Self.namePrefix + holder.administrator.name, role: holder.administrator.role,
            hash: Self.hash(of: text), creationDate: date,
            expirationDate: min(end, holder.expirationDate ?? end))
    }

    /// The stored hash of a session.
    ///
    /// It differs from the hash of a token with the same text, so neither is accepted in place of
    /// the other.
    static func hash(of text: String) -> Data {
        .sha256(of: "activeconfig console session \(text)")
    }
}
