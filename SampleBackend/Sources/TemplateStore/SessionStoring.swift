public import Foundation

/// The part of a ``TemplateStore`` that keeps the sessions of the console, as hashes of their
/// cookies.
///
/// Ending a session removes it, as revoking its token does; the next ``addSession(_:actor:)``
/// removes expired ones. The audit trail records who signed in and out.
public protocol SessionStoring: Sendable {
    /// Stores a new session, and removes sessions that have expired by its creation.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - actor: The name of its token, for the audit trail.
    /// - Throws: ``TemplateStoreError`` with the code `tokenExists` when another session has the
    ///   identifier or the hash.
    func addSession(
        _ session: StoredSession, actor: String
    ) async throws(TemplateStoreError)

    /// The sessions that expire after a date, in any order.
    func sessions(
        lastingAt date: Date
    ) async throws(TemplateStoreError) -> [StoredSession]

    /// A session; nil when none has this identifier.
    func session(id: String) async throws(TemplateStoreError) -> StoredSession?

    /// Ends and removes a session; false when none has this identifier.
    func removeSession(
        id: String, actor: String, date: Date
    ) async throws(TemplateStoreError) -> Bool

    /// Adds an entry for failed attempts to sign in to the audit trail.
    ///
    /// ``ChangeFeed/changes(since:)`` reports it as a change of a session that does not exist.
    func recordFailedSignIns(_ failed: FailedSignIns) async throws(TemplateStoreError)
}

extension StoreChange.Subject {
    /// The subject of an entry for failed attempts to sign in, which changes no session.
    package static var failedSignIns: Self { .session(id: "") }

    /// The version floor was raised, which changes no session either.
    package static var versionFloor: Self { .session(id: "") }
}

/// A stored session of the console: the hash of its cookie, never the cookie itself.
public struct StoredSession: Sendable, Hashable {
    /// The public identifier.
    public let id: String

    /// The identifier of the token with which the session began, or one of the person who signed in
    /// without a token.
    public let tokenID: String

    /// The name in the audit trail.
    public let name: String

    /// The permissions at the beginning.
    public let role: StoredToken.Role

    /// The person who signed in at an OpenID provider; nil for a session that began with a token.
    public let person: SignedInPerson?

    /// The SHA-256 that identifies the cookie.
    public let hash: Data

    /// The time of creation, to the millisecond.
    public let creationDate: Date

    /// The time of expiry, to the millisecond.
    public let expirationDate: Date

    /// Creates a session; its dates are rounded to milliseconds.
    public init(
        id: String, tokenID: String, name: String, role: StoredToken.Role,
        person: SignedInPerson? = nil, hash: Data, creationDate: Date, expirationDate: Date
    ) {
        self.id = id
        self.tokenID = tokenID
        self.name = name
        self.role = role
        self.person = person
        self.hash = hash
        self.creationDate = creationDate.roundedToMilliseconds
        self.expirationDate = expirationDate.roundedToMilliseconds
    }
}
