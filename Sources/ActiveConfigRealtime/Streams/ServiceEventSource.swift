public import ActiveConfig
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Documents and events of many users over few connections, for a service that the backend admits
/// by a service key (*Client protocol*, section 2).
///
/// ```swift
/// let updater = ActiveConfigUpdater(
///     config,
///     source: ServiceEventSource(backend: backend, serviceCredentials: .apiKey(serviceKey)),
///     users: .fixed(["1", "2", "3"]))
/// ```
///
/// The users of an updater share streams of up to 1,000 users each, or as many as fit their IDs and
/// signals into 48 KiB: a longer request keeps a core busy on Linux. Added users get another
/// stream, and streams are merged to keep their number low. A user whom the backend does not accept
/// on such a stream, and all users of a backend without it, have a stream each, as with
/// ``URLSessionEventSource``. At most 16 documents are fetched concurrently.
///
/// See *Getting started in a service*.
public struct ServiceEventSource: ActiveConfigEventSource {
    /// Returns a user's signals by their query names, such as `app.version` and `signal.plan`; nil
    /// is the generic user.
    ///
    /// A name without `app.`, `device.` or `signal.` is that of a custom signal, `plan` being
    /// `signal.plan`.
    public typealias Signals = @Sendable (_ userID: String?) async throws -> [String: String]

    /// Maximum number of concurrent document requests.
    static let maximumDocumentCount = 16

    let documents: URLSessionEventSource
    let streams: UsersStreams
    let documentTurns = CallLimit(Self.maximumDocumentCount)
    let signals: Signals

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - backend: The backend, with credentials if it requires them for documents. Its signals
    ///     are not sent.
    ///   - serviceCredentials: Authorizes the service to listen for many users: a service key, as
    ///     `ClientCredentials.apiKey(_:)`; an administrator's token works too, as
    ///     `ClientCredentials.bearerToken(_:)`.
    ///   - signals: Returns a user's signals, for each connection. An error affects that user only.
    ///   - timeout: The time limit of a document.
    public init(
        backend: ActiveConfigBackend, serviceCredentials: ClientCredentials,
        signals: @escaping Signals = { _ in [:] }, timeout: Duration = .seconds(30)
    ) {
        // Documents and streams must be of the same signals, and only streams accept a bare name.
        let signals: Signals = { try await signals($0).withQueryNames }
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

extension [String: String] {
    /// Signals with the prefix of custom ones where a name has none.
    fileprivate var withQueryNames: [String: String] {
        func isComplete(_ name: String) -> Bool {
            ["app.", "device.", "signal."].contains { name.hasPrefix($0) }
        }
        let bare = filter { !isComplete($0.key) }.map { ("signal.\($0.key)", $0.value) }
        return filter { isComplete($0.key) }.merging(bare) { complete, _ in complete }
    }
}
