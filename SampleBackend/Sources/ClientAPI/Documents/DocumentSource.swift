public import Foundation
public import Rendering
public import Targeting

/// The source of users' configuration documents, called by the routes of PROTOCOL 1 for each
/// request.
///
/// An implementation may render a document per call, or return the bytes and the entity tag that it
/// caches for all users with the same condition results: a ``RenderedDocument`` is ready to send,
/// and the server neither parses nor hashes it again. It must answer from memory without blocking,
/// because it is called on the event loops that serve all connections.
///
/// ```swift
/// struct FixedSource: DocumentSource {
///     let document: RenderedDocument
///
///     func document(
///         inProject project: String, forUserID userID: String?, signals: Signals
///     ) throws -> RenderedDocument? {
///         project == "default" ? document : nil
///     }
///
///     func checkReadiness() async throws {}
/// }
/// ```
public protocol DocumentSource: Sendable {
    /// Returns the current document of a user.
    ///
    /// It must be deterministic: the same project, user, signals and published version must give
    /// the same bytes and entity tag on every replica and after a restart (PROTOCOL 1).
    ///
    /// - Parameters:
    ///   - project: The project's name; `default` for the paths without one.
    ///   - userID: Any string, including an empty one; nil means the generic user. Compare user IDs
    ///     by bytes, not as Swift strings.
    ///   - signals: The properties that the client sent, within the limits of ``Signals``.
    /// - Returns: The document; nil when the project does not exist, which the server answers with
    ///   404.
    /// - Throws: Any error that prevents an answer; the server answers 503, and clients may retry.
    func document(
        inProject project: String, forUserID userID: String?, signals: Signals
    ) throws -> RenderedDocument?

    /// Returns the tag and the version of the document that
    /// ``document(inProject:forUserID:signals:)`` returns.
    ///
    /// They are sufficient to answer requests with `If-None-Match` with 304. Implement this method
    /// if the source can determine them without rendering; the default implementation renders the
    /// document.
    ///
    /// - Parameters:
    ///   - project: The project's name; `default` for the paths without one.
    ///   - userID: Any string, including an empty one; nil means the generic user.
    ///   - signals: The properties that the client sent.
    /// - Returns: The identity; nil when the project does not exist.
    /// - Throws: Any error that prevents an answer.
    func identity(
        inProject project: String, forUserID userID: String?, signals: Signals
    ) throws -> DocumentIdentity?

    /// Returns the state of the source for a project.
    ///
    /// With it the server can answer a repeated request of a connection with 304 without asking for
    /// the identity again.
    ///
    /// The default is nil: the server asks for the identity on each request.
    ///
    /// - Parameter project: The project's name.
    /// - Returns: An object that stays the same while the documents of all requests stay the same;
    ///   nil when they may change at any time, or when the project does not exist.
    func stamp(ofProject project: String) -> DocumentStamp?

    /// Returns a Boolean value that indicates whether a stamp is still the project's; if so, the
    /// server answers 304.
    ///
    /// The default implementation compares it with ``stamp(ofProject:)``. A source that counts its
    /// answers should count this one here.
    ///
    /// - Parameters:
    ///   - stamp: An earlier stamp of the project.
    ///   - project: The project's name.
    /// - Returns: True when the documents of the project are still the same.
    func isCurrent(_ stamp: DocumentStamp, ofProject project: String) -> Bool

    /// The time of the snapshot from which documents are served instead of the store (PROTOCOL 1,
    /// `ActiveConfig-Snapshot`).
    ///
    /// The default is nil.
    var snapshotDate: Date? { get }

    /// Checks that the source can answer (`GET /health/ready`, API 5).
    ///
    /// - Throws: The reason why it cannot answer; the server logs it without revealing it to
    ///   clients.
    func checkReadiness() async throws
}

extension DocumentSource {
    /// Returns nil: the server asks for the identity on each request.
    public func stamp(ofProject project: String) -> DocumentStamp? { nil }

    /// Returns true when the stamp is the same object as the project's.
    public func isCurrent(_ stamp: DocumentStamp, ofProject project: String) -> Bool {
        stamp === self.stamp(ofProject: project)
    }

    /// Nil: the documents are from the store.
    public var snapshotDate: Date? { nil }

    /// Renders the document and returns its identity.
    public func identity(
        inProject project: String, forUserID userID: String?, signals: Signals
    ) throws -> DocumentIdentity? {
        try document(inProject: project, forUserID: userID, signals: signals)?.identity
    }
}
