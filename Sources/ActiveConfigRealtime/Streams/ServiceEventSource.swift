public import ActiveConfig
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Documents and events of many users over few connections, for a service that the backend lets in by
/// a key of a service (*Client protocol*, section 2).
///
/// ```swift
/// let updater = ActiveConfigUpdater(
///     config,
///     source: ServiceEventSource(backend: backend, serviceCredentials: .apiKey(serviceKey)),
///     users: .fixed(["1", "2", "3"]))
/// ```
///
/// The users of an updater share a stream of up to 1,000 users, or of as many as 48 KiB of their IDs
/// and signals allow: more than that keeps a core busy on Linux. Users who are added get another
/// stream, and streams are joined so that there are few. A user whom the backend does not accept on
/// such a stream, and all users of a backend without it, have a stream each, as with
/// ``URLSessionEventSource``. At most 16 documents are fetched at once.
///
/// See *Services with many users*.
public struct ServiceEventSource: ActiveConfigEventSource {
    /// Gives the signals of a user by their names in a query, such as `app.version` and
    /// `signal.plan`; nil is the generic user.
    public typealias Signals = @Sendable (_ userID: String?) async throws -> [String: String]

    /// The most documents that are fetched at once.
    static let maximumDocumentCount = 16

    let documents: URLSessionEventSource
    let streams: UsersStreams
    let documentTurns = CallLimit(Self.maximumDocumentCount)
    let signals: Signals

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - backend: The backend, with credentials if it asks clients for them to read documents. Its
    ///     signals are not sent.
    ///   - serviceCredentials: What lets the service listen for many users: a key of a service, or a
    ///     token of an administrator, as `ClientCredentials.apiKey(_:)` or
    ///     `ClientCredentials.bearerToken(_:)`.
    ///   - signals: Gives the signals of a user, for each connection. An error is that user's alone.
    ///   - timeout: The longest that a document may take.
    public init(
        backend: ActiveConfigBackend, serviceCredentials: ClientCredentials,
        signals: @escaping Signals = { _ in [:] }, timeout: Duration = .seconds(30)
    ) {
        let documents = URLSessionEventSource(
            backend: backend, timeout: timeout,
            changeSources: [backend.credentials.changes, serviceCredentials.changes],
            signals: { try await signals($0.userID) })
        self.signals = signals
        self.documents = documents
        streams = UsersStreams { userID, body in
            let source = documents.streaming(refresh: serviceCredentials.refresh) { context in
                var request = URLRequest(url: backend.usersEventsURL)
                request.httpMethod = "POST"
                request.setValue("application/json", forHTTPHeaderField: "Content-Type")
                request.httpBody = body
                try await serviceCredentials.authorize(&request, of: backend, context)
                return request
            }
            return source.connection(forUserID: userID)
        }
    }

    /// A new connection for a user, which shares a stream with others.
    public func connection(forUserID userID: String?) -> any ActiveConfigEventConnection {
        ServiceEventConnection(self, userID: userID)
    }

    /// Yields after tokens have changed.
    public func changes() -> AsyncStream<Void> { documents.changes() }
}
