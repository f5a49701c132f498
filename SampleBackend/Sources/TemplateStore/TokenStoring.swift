public import Foundation

/// The part of a ``TemplateStore`` that keeps access tokens as hashes.
public protocol TokenStoring: Sendable {
    /// Stores a new access token as its hash.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - actor: The name of the token used, for the audit trail.
    /// - Throws: ``TemplateStoreError`` with the code `tokenExists` when another token has the
    ///   identifier or the hash, and `tokenNameExists` when a token that is valid at the creation
    ///   of
    ///   this one has the name.
    func addToken(
        _ token: StoredToken, actor: String
    ) async throws(TemplateStoreError)

    /// All tokens, the oldest first, including revoked and expired ones.
    func tokens() async throws(TemplateStoreError) -> [StoredToken]

    /// Revokes a token permanently, and removes its sessions as part of the same change; false when
    /// no token has this identifier.
    ///
    /// Revoking a token again is not a change, and keeps the first date.
    func revokeToken(
        id: String, actor: String, date: Date
    ) async throws(TemplateStoreError) -> Bool

    /// Records the last uses of tokens atomically, at most once a minute per token and possibly
    /// late.
    ///
    /// Followers of the change feed do not see it.
    ///
    /// - Parameter dates: The dates by token identifier; unknown identifiers are ignored.
    /// - Throws: ``TemplateStoreError`` when the engine fails.
    func recordUses(_ dates: [String: Date]) async throws(TemplateStoreError)
}

/// A stored access token: its hash, never its text.
public struct StoredToken: Sendable, Hashable {
    /// The permissions of a token (API 3).
    public enum Role: String, Sendable, Hashable, CaseIterable, Comparable {
        /// Can read the template and the pinned values, for services that evaluate users themselves.
        case evaluator
        /// Can read.
        case viewer
        /// Can read, and check a template.
        case editor
        /// Can do everything.
        case publisher

        /// Orders roles by their permissions.
        public static func < (left: Role, right: Role) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .evaluator: 0
            case .viewer: 1
            case .editor: 2
            case .publisher: 3
            }
        }
    }

    /// The public identifier, used to list and revoke the token.
    public let id: String

    /// The name given at creation; the actor in the audit trail.
    public let name: String

    /// The permissions, in all projects unless ``projects`` limits them.
    public let role: Role

    /// The permissions by project, in these projects only; nil does not limit the token.
    public let projects: [String: Role]?  // names: names of projects are ASCII

    /// The person who uses the token; nil for a token of a program.
    ///
    /// Approvals count people: all tokens of a person together have one vote, and a token without
    /// an owner has none.
    public let owner: String?

    /// The person whose token created this one, directly or through tokens without an owner; nil
    /// when no person did.
    ///
    /// It does not vote for that person, who must not approve what it requests either.
    public let creator: String?

    /// The provider's identifier of the person who signed in and created this token, or one with
    /// which it was created; nil when nobody did, and for a token of somebody else.
    ///
    /// It stays the same when the name of the person changes.
    public let identity: String?

    /// True for a token that may publish in a protected project without approvals; no role includes
    /// it.
    public let mayBypass: Bool

    /// The SHA-256 of the token's text.
    public let hash: Data

    /// The time of creation.
    public let creationDate: Date

    /// The time of expiry; nil means never.
    public let expirationDate: Date?

    /// The time of the last use, to the minute; nil means never.
    public var lastUseDate: Date?

    /// The time of revocation; nil means not revoked.
    public var revocationDate: Date?

    /// Creates a token.
    public init(
        id: String, name: String, role: Role, projects: [String: Role]? = nil,
        owner: String? = nil, creator: String? = nil, identity: String? = nil,
        mayBypass: Bool = false, hash: Data, creationDate: Date, expirationDate: Date? = nil,
        lastUseDate: Date? = nil, revocationDate: Date? = nil
    ) {
        self.id = id
        self.name = name
        self.role = role
        self.projects = projects
        self.owner = owner
        self.creator = creator
        self.identity = identity
        self.mayBypass = mayBypass
        self.hash = hash
        self.creationDate = creationDate
        self.expirationDate = expirationDate
        self.lastUseDate = lastUseDate
        self.revocationDate = revocationDate
    }
}

extension StoredToken {
    /// True when the token is not revoked or expired.
    package func isLiving(at date: Date) -> Bool {
        revocationDate == nil && expirationDate.map { $0 > date } ?? true
    }

    /// The role in a project; nil when the token does not include it.
    package func role(inProject project: String) -> Role? {
        guard let projects else { return role }
        return projects[project]
    }

    /// Checks that the token can be added to the stored ones.
    package func checkIsNew(among tokens: [StoredToken]) throws(TemplateStoreError) {
        if tokens.contains(where: { $0.id == id || $0.hash == hash }) { throw .tokenExists(id: id) }
        // names: those that look alike count as equal, so that the audit trail is unambiguous
        if tokens.contains(where: { $0.name == name && $0.isLiving(at: creationDate) }) {
            throw .tokenNameExists(name)
        }
    }

    /// The token with its dates rounded to milliseconds, as stored.
    package var roundedToMilliseconds: StoredToken {
        StoredToken(
            id: id, name: name, role: role, projects: projects, owner: owner,
            creator: creator, identity: identity, mayBypass: mayBypass, hash: hash,
            creationDate: creationDate.roundedToMilliseconds,
            expirationDate: expirationDate?.roundedToMilliseconds,
            lastUseDate: lastUseDate?.roundedToMilliseconds,
            revocationDate: revocationDate?.roundedToMilliseconds)
    }
}

extension StoredToken {
    /// The roles by project as engines store them, such as `{"shop":"editor"}`; nil when the token
    /// is not limited.
    package var projectsText: String? {
        guard let projects else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = try? encoder.encode(projects.mapValues(\.rawValue))
        // Never nil, which would lift the limit.
        return String(decoding: data ?? Data("{}".utf8), as: UTF8.self)
    }

    /// The roles in a stored text; projects with unknown roles are left out.
    package static func projects(inText text: String?) -> [String: Role]? {
        guard let text else { return nil }
        // names: names of projects are ASCII
        let roles = try? JSONDecoder().decode([String: String].self, from: Data(text.utf8))
        return (roles ?? [:]).compactMapValues(Role.init(rawValue:))
    }
}
