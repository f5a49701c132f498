package import Foundation
import HTTPServing
import JSONTree
import TemplateStore

// A console session is a stored token of its own. It ends after its lifetime, at sign-out, and with
// the token with which it began. Because it is stored, sign-out takes effect in every process and
// survives a restart, and the cookie does not reveal the administrator's token.
extension AccessToken {
    /// Lifetime of a session in seconds: 12 hours.
    static let sessionLifetime: TimeInterval = 43_200

    /// Beginning of a session's name, by which the audit trail tells a session from a token.
    static let sessionNamePrefix = "Console session of "

    /// A new session for the holder of a token; it ends no later than that token.
    package init(sessionOf holder: AdministratorAccess.Holder, date: Date) {
        let text = Data.random(bytes: 32).base64URL
        let end = date + Self.sessionLifetime
        self.init(
            text: text,
            stored: StoredToken(
                id: StoredToken.sessionPrefix(ofToken: holder.tokenID)
                    + Data.random(bytes: 6).hexadecimal,
                name: Self.sessionNamePrefix + holder.administrator.name,
                role: holder.administrator.role, hash: Self.sessionHash(of: text),
                creationDate: date, expirationDate: min(end, holder.expirationDate ?? end)))
    }

    /// The stored hash of a session.
    ///
    /// It differs from the hash of a token with the same text, so neither is accepted in place of
    /// the other.
    static func sessionHash(of text: String) -> Data {
        .sha256(of: "activeconfig console session \(text)")
    }
}

extension StoredToken {
    /// Prefix of session identifiers; token identifiers are hexadecimal.
    private static let sessionPrefix = "session."

    /// Prefix of the identifiers of the sessions that began with a token.
    fileprivate static func sessionPrefix(ofToken id: String) -> String { "\(sessionPrefix)\(id)." }

    var isSession: Bool { id.hasPrefix(Self.sessionPrefix) }

    /// True when this is a session that began with the token.
    func isSession(ofToken id: String) -> Bool {
        self.id.hasPrefix(Self.sessionPrefix(ofToken: id))
    }
}
