public import Foundation
import HTTPServing
public import TemplateStore

/// A new access token: its text, which is shown once, and what is stored of it.
///
/// Descriptions, dumps and mirrors leave the text out.
public struct AccessToken: Sendable, CustomStringConvertible, CustomReflectable {
    /// The text that goes behind `Authorization: Bearer`: `acfg_` and 256 random bits.
    public let text: String

    /// What a store keeps: the hash, and never the text.
    public let stored: StoredToken

    /// Makes a token.
    ///
    /// - Parameters:
    ///   - name: What people call it.
    ///   - role: What it may do.
    ///   - date: The time of its making.
    ///   - expirationDate: When it ends; nil means never.
    public init(
        name: String, role: StoredToken.Role, date: Date, expirationDate: Date?
    ) {
        text = "acfg_" + Data.random(bytes: 32).base64URL
        stored = StoredToken(
            id: Data.random(bytes: 6).hexadecimal, name: name, role: role,
            hash: .sha256(of: text), creationDate: date, expirationDate: expirationDate)
    }

    /// Puts a token together.
    package init(text: String, stored: StoredToken) {
        self.text = text
        self.stored = stored
    }

    /// The name and the role.
    public var description: String { "\(stored.name) (\(stored.role.rawValue))" }

    /// A mirror without the text.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
