public import ActiveConfig

/// The source of an ``ActiveConfigUpdater``'s documents and events.
///
/// ``URLSessionEventSource`` connects to a server; tests script one with `ScriptedBackend` of
/// `ActiveConfigTesting`.
public protocol ActiveConfigEventSource: Sendable {
    /// A new connection for a user; nil is the generic user.
    ///
    /// Sends nothing yet.
    func connection(forUserID userID: String?) -> any ActiveConfigEventConnection

    /// Yields when new connections would make other requests than the open ones, for example after
    /// the signals have changed: all connections are then replaced. By default it never yields.
    ///
    /// Called once for each run of an updater.
    func changes() -> AsyncStream<Void>
}

extension ActiveConfigEventSource {
    /// Never yields.
    public func changes() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
}

/// A user's connection: the document first, then its stream of changes, or further documents.
///
/// Its functions are called one at a time, except for ``close()``, and can throw their failure,
/// such as a `DownloadError`. When the task is cancelled they must throw soon.
public protocol ActiveConfigEventConnection: Sendable {
    /// Fetches the user's document.
    ///
    /// - Parameters:
    ///   - lastKnown: The user's own last configuration; its entity tag makes the request
    ///     conditional.
    ///   - wait: For a long poll: the longest time for which the server may hold back the answer
    ///     until something changes; nil otherwise.
    /// - Returns: The answer.
    /// - Throws: `DownloadError` when the server gives no usable answer, with its `Retry-After`;
    ///   `ConfigurationFormatError`; `CancellationError`.
    func document(lastKnown: ConfigurationState?, wait: Duration?) async throws -> DocumentAnswer

    /// Opens the stream of changes, and returns once the server has accepted it.
    ///
    /// - Parameter lastEventID: The version that the client has, from which the server continues.
    /// - Throws: ``NoEventStreamError`` when there is none; otherwise as for the document.
    func openEvents(lastEventID: String?) async throws

    /// The next event of the stream; nil when the server has ended it.
    ///
    /// Return one for everything that arrives, even a comment or a part of an event: an updater
    /// replaces a silent stream.
    func nextEvent() async throws -> ActiveConfigEvent?

    /// Ends everything at once; pending calls throw.
    func close()
}

/// A server's answer to a document request.
public struct DocumentAnswer: Sendable, Hashable {
    /// The document; nil when it has not changed.
    public var configuration: ConfigurationState?
    /// A Boolean value that indicates whether the server waited for a change, as requested.
    public var hasWaited: Bool
    /// The time after which the server expects the next request.
    public var retryAfter: Duration?
    /// A Boolean value that indicates whether a stream can follow on the same connection.
    public var allowsStream: Bool

    /// Creates an answer.
    ///
    /// - Parameters:
    ///   - configuration: The document; nil when it has not changed.
    ///   - hasWaited: True when the server waited for a change.
    ///   - retryAfter: The time after which the server expects the next request.
    ///   - allowsStream: True when a stream can follow on the same connection.
    public init(
        _ configuration: ConfigurationState?, hasWaited: Bool = false,
        retryAfter: Duration? = nil, allowsStream: Bool = true
    ) {
        self.configuration = configuration
        self.hasWaited = hasWaited
        self.retryAfter = retryAfter
        self.allowsStream = allowsStream
    }
}

/// The server has no stream, or one that this client cannot use; there may be documents.
public struct NoEventStreamError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason, as the end of a sentence.
    public let reason: String
    /// The status of the server's answer; nil without one.
    let status: Int?

    /// Creates the error.
    ///
    /// - Parameter reason: The reason, as the end of a sentence.
    public init(_ reason: String) { self.init(reason, status: nil) }

    init(_ reason: String, status: Int?) {
        self.reason = reason
        self.status = status
    }

    /// One sentence.
    public var description: String { "There is no stream of changes: \(reason)." }
}
