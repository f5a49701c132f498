public import Foundation
public import Rendering
public import Targeting

/// The source of users' configuration documents, which the routes of PROTOCOL 1 call for each request.
///
/// An implementation may render a document for each call, or return the bytes and the entity tag
/// that it caches for all users with the same condition results: a ``RenderedDocument`` is
/// ready to be sent, and the server neither parses nor hashes it again. It must answer from memory
/// without blocking: it is called on the event loops that serve all connections.
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
    /// The current document of a user.
    ///
    /// It must be deterministic: the same project, user, signals and published version give the same
    /// bytes and entity tag on every replica and after a restart (PROTOCOL 1).
    ///
    /// - Parameters:
    ///   - project: The project's name; `default` for the paths without one.
    ///   - userID: Any string, including an empty one; nil is the generic user. User IDs are
    ///     compared byte by byte, not as Swift strings.
    ///   - signals: The properties that the client sent, within the limits of ``Signals``.
    /// - Returns: The document; nil when there is no such project, which is answered with 404.
    /// - Throws: Any error that prevents an answer; it is answered with 503, and clients may retry.
    func document(
        inProject project: String, forUserID userID: String?, signals: Signals
    ) throws -> RenderedDocument?

    /// The tag and the version of the document that ``document(inProject:forUserID:signals:)``
    /// returns.
    ///
    /// They suffice to answer requests with `If-None-Match` with 304. A source that can determine
    /// them without rendering the document implements this method; by default the document is
    /// rendered.
    ///
    /// - Parameters:
    ///   - project: The project's name; `default` for the paths without one.
    ///   - userID: Any string, including an empty one; nil is the generic user.
    ///   - signals: The properties that the client sent.
    /// - Returns: The identity; nil when there is no such project.
    /// - Throws: Any error that prevents an answer.
    func identity(
        inProject project: String, forUserID userID: String?, signals: Signals
    ) throws -> DocumentIdentity?

    /// The state of the source for a project, by which a request that its connection repeats is
    /// answered with 304 without asking for the identity again.
    ///
    /// By default there is none, and each request is asked for.
    ///
    /// - Parameter project: The project's name.
    /// - Returns: An object that stays the same while the documents of all requests do; nil when they
    ///   may change at any time, or there is no such project.
    func stamp(ofProject project: String) -> DocumentStamp?

    /// Tells whether a stamp is still the project's; an answer with 304 follows when it is.
    ///
    /// By default it is compared with ``stamp(ofProject:)``. A source that counts its answers counts
    /// this one here.
    ///
    /// - Parameters:
    ///   - stamp: An earlier stamp of the project.
    ///   - project: The project's name.
    /// - Returns: True when the documents of the project are still the same.
    func isCurrent(_ stamp: DocumentStamp, ofProject project: String) -> Bool

    /// The time of the snapshot that the documents are from, in place of the store (PROTOCOL 1,
    /// `ActiveConfig-Snapshot`).
    ///
    /// By default there is none.
    var snapshotDate: Date? { get }

    /// Checks that the source can answer (`GET /health/ready`, API 5).
    ///
    /// - Throws: The reason why it cannot, which is logged but not revealed to clients.
    func checkReadiness() async throws
}

extension DocumentSource {
    /// None: each request is asked for.
    public func stamp(ofProject project: String) -> DocumentStamp? { nil }

    /// True when it is the same object as the project's stamp.
    public func isCurrent(_ stamp: DocumentStamp, ofProject project: String) -> Bool {
        stamp === self.stamp(ofProject: project)
    }

    /// None: the documents are from the store.
    public var snapshotDate: Date? { nil }

    /// The identity of the document, which is rendered to compute it.
    public func identity(
        inProject project: String, forUserID userID: String?, signals: Signals
    ) throws -> DocumentIdentity? {
        try document(inProject: project, forUserID: userID, signals: signals)?.identity
    }
}
