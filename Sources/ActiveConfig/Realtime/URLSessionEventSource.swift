#if canImport(FoundationNetworking)
    public import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Documents and events of a backend that speaks the wire contract (HTTP 1 and 2), by `URLSession`.
///
/// ```swift
/// let updater = ActiveConfigUpdater(
///     config, source: URLSessionEventSource(backend: ActiveConfigBackend(url: server)))
/// ```
///
/// Each connection fetches the document first and then opens the stream on the same kept-alive
/// connection, which on Linux is what keeps an idle stream from using a core. Its sessions are reused
/// and never released. Redirects are refused, and no cookie is kept. An answer that is longer than a
/// document may be is stopped while it arrives, and so is a stream with a longer line or event, or
/// with more than that which nobody has read yet.
///
/// On Linux, Foundation reads the answers to all requests of a process on one queue, and a server that
/// floods it delays the others until its connection is closed. Use a server that you trust, over
/// https.
public struct URLSessionEventSource: ActiveConfigEventSource {
    /// Creates the request for a user.
    public typealias RequestMaker = @Sendable (_ userID: String?) async throws -> URLRequest

    let documentRequest: RequestMaker
    let streamRequest: @Sendable (_ userID: String?) async throws -> URLRequest?
    let timeout: Duration
    let limits: ConfigurationLimits
    let now: @Sendable () -> Date

    /// Creates a source from requests of your own, such as ones with a credential.
    ///
    /// - Parameters:
    ///   - timeout: The longest that a document may take, from the request to the last byte; a long
    ///     poll may take its wait more. It also limits the wait for the stream's first byte.
    ///   - limits: The limits on the document's size and depth.
    ///   - documentRequest: Creates the request for a user's document.
    ///   - streamRequest: Creates the request for a user's stream, on the same server; nil when the
    ///     server has none for that user.
    public init(
        timeout: Duration = .seconds(30), limits: ConfigurationLimits = .default,
        documentRequest: @escaping RequestMaker,
        streamRequest: @escaping @Sendable (_ userID: String?) async throws -> URLRequest?
    ) {
        self.timeout = min(max(timeout, .zero), .seconds(24 * 60 * 60))
        self.limits = limits
        self.documentRequest = documentRequest
        self.streamRequest = streamRequest
        now = { Date() }
    }

    /// Creates a source from a backend.
    ///
    /// - Parameters:
    ///   - backend: The backend's address.
    ///   - signals: Signals for conditions, such as `["app.version": "2.4.0"]`.
    ///   - timeout: The longest that a document may take.
    ///   - limits: The limits on the document's size and depth.
    ///   - headerFields: Header fields of every request of a user, such as a credential.
    public init(
        backend: ActiveConfigBackend, signals: [String: String] = [:],
        timeout: Duration = .seconds(30), limits: ConfigurationLimits = .default,
        headerFields: @escaping @Sendable (_ userID: String?) async throws -> [String: String] = {
            _ in [:]
        }
    ) {
        self.init(timeout: timeout, limits: limits) { userID in
            var request = URLRequest(
                url: backend.configurationURL(forUserID: userID, signals: signals))
            for (name, value) in try await headerFields(userID) {
                request.setValue(value, forHTTPHeaderField: name)
            }
            return request
        } streamRequest: { userID in
            guard let url = backend.eventsURL(forUserID: userID, signals: signals) else {
                return nil
            }
            var request = URLRequest(url: url)
            for (name, value) in try await headerFields(userID) {
                request.setValue(value, forHTTPHeaderField: name)
            }
            return request
        }
    }

    /// A new connection for a user.
    public func connection(forUserID userID: String?) -> any ActiveConfigEventConnection {
        URLSessionEventConnection(self, userID: userID)
    }
}

extension ActiveConfigBackend {
    /// The URL of a user's stream of changes (HTTP 2); nil when a path cannot carry the user ID ("",
    /// "." and "..").
    public func eventsURL(forUserID userID: String?, signals: [String: String] = [:]) -> URL? {
        if let userID, ["", ".", ".."].contains(userID) { return nil }
        var components = URLComponents(
            url: configurationURL(forUserID: userID, signals: signals),
            resolvingAgainstBaseURL: true)
        components?.percentEncodedPath += "/events"
        return components?.url
    }
}
