public import Foundation

/// An access token as a store keeps it: never itself, only its hash.
public struct StoredToken: Sendable, Hashable {
    /// What a token may do (HTTP 3).
    public enum Role: String, Sendable, Hashable, CaseIterable, Comparable {
        /// Read.
        case viewer
        /// Read, and check a template.
        case editor
        /// Everything.
        case publisher

        /// Whether a role may less than another.
        public static func < (left: Role, right: Role) -> Bool { left.rank < right.rank }

        /// The place in the order of the roles.
        private var rank: Int {
            switch self {
            case .viewer: 0
            case .editor: 1
            case .publisher: 2
            }
        }
    }

    /// The public identifier, by which it is listed and revoked.
    public let id: String

    /// The name that people gave it; it stands in the audit trail.
    public let name: String

    /// What it may do.
    public let role: Role

    /// The SHA-256 of the token's text.
    public let hash: Data

    /// When it was made.
    public let creationDate: Date

    /// When it ends; nil means never.
    public let expirationDate: Date?

    /// When it was last used, to the minute; nil means never.
    public var lastUseDate: Date?

    /// When it was revoked; nil means not.
    public var revocationDate: Date?

    /// Makes a token.
    public init(
        id: String, name: String, role: Role, hash: Data, creationDate: Date,
        expirationDate: Date? = nil, lastUseDate: Date? = nil, revocationDate: Date? = nil
    ) {
        self.id = id
        self.name = name
        self.role = role
        self.hash = hash
        self.creationDate = creationDate
        self.expirationDate = expirationDate
        self.lastUseDate = lastUseDate
        self.revocationDate = revocationDate
    }
}
