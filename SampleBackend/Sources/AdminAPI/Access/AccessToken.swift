public import Foundation
import HTTPServing
import JSONTree
public import TemplateStore

/// A new access token: its text, which is shown only once, and the stored part.
///
/// Descriptions, dumps and mirrors omit the text.
public struct AccessToken: Sendable, CustomStringConvertible, CustomReflectable {
    /// The text that follows `Authorization: Bearer`: `acfg_` and 256 random bits in Base64.
    public let text: String

    /// The stored part: the hash of the text, never the text itself.
    public let stored: StoredToken

    /// Generates a token.
    ///
    /// - Parameters:
    ///   - name: A human-readable name; it appears in the audit trail.
    ///   - role: The permissions of the token.
    ///   - projects: The permissions by project, in these projects only; nil does not limit the
    ///     token.
    ///   - owner: The person who uses the token; nil for a program, which cannot approve.
    ///   - creator: The person whose token creates it; nil when no person does.
    ///   - identity: The provider's identifier of the person who creates it; nil without one, and
    ///     for a token of somebody else.
    ///   - mayBypass: True for a token that may publish in protected projects without approvals.
    ///   - date: The creation time.
    ///   - expirationDate: The time when the token expires; nil means never.
    public init(
        name: String, role: StoredToken.Role, projects: [String: StoredToken.Role]? = nil,
        owner: String? = nil, creator: String? = nil, identity: String? = nil,
        mayBypass: Bool = false, date: Date, expirationDate: Date?
    ) {
        text = "acfg_" + Data.random(bytes: 32).base64URL
        stored = StoredToken(
            id: Data.random(bytes: 6).hexadecimal, name: name, role: role, projects: projects,
            owner: owner, creator: creator, identity: identity, mayBypass: mayBypass,
            hash: .sha256(of: text), creationDate: date, expirationDate: expirationDate)
    }

    package init(text: String, stored: StoredToken) {
        self.text = text
        self.stored = stored
    }

    /// The name and the role.
    public var description: String { "\(stored.name) (\(stored.role.rawValue))" }

    /// A mirror without the text.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
