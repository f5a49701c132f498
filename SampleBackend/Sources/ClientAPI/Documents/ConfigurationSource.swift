public import Rendering
public import Targeting

/// A type that answers "the configuration for this user with these signals".
///
/// It is the only thing the routes of HTTP 1 know about where documents come from. An
/// implementation may render a document for each call, or hand over the bytes and the entity tag
/// that it keeps for all users whose conditions come out the same: a ``RenderedConfiguration`` is
/// ready to be sent, and the server neither parses nor hashes it again. It answers at once, from
/// memory: it is called on the threads that serve all connections.
///
/// ```swift
/// struct FixedSource: ConfigurationSource {
///     let document: RenderedConfiguration
///
///     func configuration(
///         inProject project: String, forUserID userID: String?, signals: Signals
///     ) throws -> RenderedConfiguration? {
///         project == "default" ? document : nil
///     }
///
///     func checkReadiness() async throws {}
/// }
/// ```
public protocol ConfigurationSource: Sendable {
    /// The document that a user gets now.
    ///
    /// The same project, user, signals and published version must give the same bytes and tag on
    /// every replica and after a restart (HTTP 1).
    ///
    /// - Parameters:
    ///   - project: The project's name; `default` for the paths without one.
    ///   - userID: Any string, also an empty one; nil is the generic user. User IDs are compared
    ///     byte by byte, not as Swift strings.
    ///   - signals: What the client said about itself, within the limits of ``Signals``.
    /// - Returns: The document, or nil when there is no such project: the client gets a 404.
    /// - Throws: Whatever keeps the source from answering; the client gets a 503 and may retry.
    func configuration(
        inProject project: String, forUserID userID: String?, signals: Signals
    ) throws -> RenderedConfiguration?

    /// Returns when the source can answer, and throws when it cannot (`GET /health/ready`, HTTP 5).
    ///
    /// - Throws: The reason, which is logged and not shown to clients.
    func checkReadiness() async throws
}
