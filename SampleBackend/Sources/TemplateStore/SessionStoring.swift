public import Foundation

/// The part of a ``TemplateStore`` that keeps the sessions of the console, as hashes of their
/// cookies.
///
/// A session is kept while it lasts: ending it removes it, as revoking its token does, and one that has
/// expired is removed by the next ``addSession(_:actor:)``. The audit trail keeps who signed in and
/// out.
public protocol SessionStoring: Sendable {
    /// Stores a new session, and removes those that have expired by its creation.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - actor: The name of its token, for the audit trail.
    /// - Throws: ``TemplateStoreError`` with the code `tokenExists` when another session has the
    ///   identifier or the hash.
    func addSession(
        _ session: StoredSession, actor: String
    ) async throws(TemplateStoreError)

    /// The sessions that expire after a time, in any order.
    func sessions(
        lastingAt date: Date
    ) async throws(TemplateStoreError) -> [StoredSession]

    /// One session; nil when there is none with this identifier.
    func session(id: String) async throws(TemplateStoreError) -> StoredSession?

    /// Ends a session and removes it; false when there is none with this identifier.
    func removeSession(
        id: String, actor: String, date: Date
    ) async throws(TemplateStoreError) -> Bool
}

/// A session of the console in a store: the hash of its cookie, never its text.
public struct StoredSession: Sendable, Hashable {
    /// The public identifier.
    public let id: String

    /// The identifier of the token with which it began.
    public let tokenID: String

    /// The name by which the audit trail shows it.
    public let name: String

    /// The permissions of its token.
    public let role: StoredToken.Role

    /// The SHA-256 that identifies the cookie.
    public let hash: Data

    /// The time of creation, to the millisecond.
    public let creationDate: Date

    /// The time of expiry, to the millisecond.
    public let expirationDate: Date

    /// Creates a session; its dates are rounded to milliseconds.
    public init(
        id: String, tokenID: String, name: String, role: StoredToken.Role, hash: Data,
        creationDate: Date, expirationDate: Date
    ) {
        self.id = id
        self.tokenID = tokenID
        self.name = name
        self.role = role
        self.hash = hash
        self.creationDate = creationDate.roundedToMilliseconds
        self.expirationDate = expirationDate.roundedToMilliseconds
    }
}
