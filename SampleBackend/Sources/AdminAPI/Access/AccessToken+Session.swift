package import Foundation
import HTTPServing
import TemplateStore

// A session of the console is a stored token of its own, which ends by itself, at signing out, and
// with the token that it began with. So signing out counts at every process and after a restart, and
// the cookie tells nobody the administrator's token.
extension AccessToken {
    /// How long a session lasts, in seconds: 12 hours.
    static let sessionLifetime: TimeInterval = 43_200

    /// Makes a session of the holder of a token.
    package init(sessionOf holder: AdministratorAccess.Holder, date: Date) {
        let text = Data.random(bytes: 32).base64URL
        let end = date + Self.sessionLifetime
        self.init(
            text: text,
            stored: StoredToken(
                id: StoredToken.sessionPrefix(ofToken: holder.tokenID)
                    + Data.random(bytes: 6).hexadecimal,
                name: "Console session of \(holder.administrator.name)",
                role: holder.administrator.role, hash: Self.sessionHash(of: text),
                creationDate: date, expirationDate: min(end, holder.expirationDate ?? end)))
    }

    /// The hash that is stored of a session: another one than a token's, so that neither counts in
    /// the place of the other.
    static func sessionHash(of text: String) -> Data {
        .sha256(of: "activeconfig console session \(text)")
    }
}

extension StoredToken {
    /// What the identifiers of sessions begin with; those of tokens are hexadecimal.
    private static let sessionPrefix = "session."

    /// What the identifiers of a token's sessions begin with.
    fileprivate static func sessionPrefix(ofToken id: String) -> String { "\(sessionPrefix)\(id)." }

    /// Whether it is a session of the console.
    var isSession: Bool { id.hasPrefix(Self.sessionPrefix) }

    /// Whether it is a session that began with a token.
    func isSession(ofToken id: String) -> Bool {
        self.id.hasPrefix(Self.sessionPrefix(ofToken: id))
    }
}
