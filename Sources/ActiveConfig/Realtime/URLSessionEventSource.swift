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
///     config,
///     source: URLSessionEventSource(
///         backend: backend, credentials: credentials, signals: signals))
/// ```
///
/// Each connection fetches the document first and then opens the stream on the same kept-alive
/// connection, which on Linux is what keeps an idle stream from using a core. Its sessions are reused
/// and never released. Redirects are refused, and no cookie is kept. An answer that is longer than a
/// document may be is stopped while it arrives, and so is a stream with a longer line or event, or
/// with more than that which nobody has read yet.
///
/// On Linux, Foundation reads the answers to all requests of a process on one queue, and a server that
/// floods it delays the others until its connection is closed, which takes effect once the server sends
/// more slowly than Foundation reads. Use a server that you trust, over https.
public struct URLSessionEventSource: ActiveConfigEventSource {
    /// Creates the request for a user.
    public typealias RequestMaker = @Sendable (_ userID: String?) async throws -> URLRequest

    /// Creates a request; nil: the server has none for that user.
    typealias ContextRequestMaker =
        @Sendable (JSONURLDownloader.RequestContext) async throws -> URLRequest?

    let documentRequest: ContextRequestMaker
    private(set) var streamRequest: ContextRequestMaker
    let refresh: CredentialRefresh?
    private(set) var streamRefresh: CredentialRefresh?
    /// True when documents and streams have the same credentials.
    private(set) var sharesCredentials = true
    private let signals: ClientSignals?
    /// Of signals and credentials.
    private let changeSources: [ChangeSignals]
    /// The URL that errors name; nil: that of the request.
    let reportedURL: URL?
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
        self.init(
            timeout: timeout, limits: limits,
            documentRequest: { try await documentRequest($0.userID) },
            streamRequest: { try await streamRequest($0.userID) })
    }

    init(
        timeout: Duration, limits: ConfigurationLimits, signals: ClientSignals? = nil,
        refresh: CredentialRefresh? = nil,
        changeSources: [ChangeSignals] = [], reportedURL: URL? = nil,
        documentRequest: @escaping ContextRequestMaker, streamRequest: @escaping ContextRequestMaker
    ) {
        self.timeout = min(max(timeout, .zero), .seconds(24 * 60 * 60))
        self.limits = limits
        self.signals = signals
        self.refresh = refresh
        streamRefresh = refresh
        self.changeSources = changeSources
        self.reportedURL = reportedURL
        self.documentRequest = documentRequest
        self.streamRequest = streamRequest
        now = { Date() }
    }

    /// Creates a source from a backend, with the credentials and signals of the app's downloader.
    ///
    /// After an answer 401 the user's token is refreshed, once, and the request sent again. Signals are
    /// read for each connection, and when custom ones change, or
    /// ``ClientCredentials/tokensDidChange()`` is called, the updater connects anew. Errors name the
    /// backend's URL, not the user's.
    ///
    /// - Parameters:
    ///   - backend: The backend's address.
    ///   - credentials: What lets the client in; give the same as to the downloader.
    ///   - signals: What the app says of itself; nil sends nothing.
    ///   - timeout: The longest that a document may take.
    ///   - limits: The limits on the document's size and depth.
    public init(
        backend: ActiveConfigBackend, credentials: ClientCredentials = .none,
        signals: ClientSignals? = nil, timeout: Duration = .seconds(30),
        limits: ConfigurationLimits = .default
    ) {
        self.init(
            timeout: timeout, limits: limits, signals: signals, refresh: credentials.refresh,
            changeSources: [credentials.changes] + [signals?.changeSignals].compactMap { $0 },
            reportedURL: backend.url
        ) { context in
            try await credentials.request(
                backend.configurationURL(forUserID: context.userID, signals: context.signals),
                of: backend, context)
        } streamRequest: { context in
            let url = backend.eventsURL(forUserID: context.userID, signals: context.signals)
            guard let url else { return nil }
            return try await credentials.request(url, of: backend, context)
        }
    }

    /// Creates a source from a backend, with signals that do not change.
    ///
    /// - Parameters:
    ///   - backend: The backend's address.
    ///   - signals: Signals for conditions, such as `["app.version": "2.4.0"]`.
    ///   - timeout: The longest that a document may take.
    ///   - limits: The limits on the document's size and depth.
    public init(
        backend: ActiveConfigBackend, signals: [String: String], timeout: Duration = .seconds(30),
        limits: ConfigurationLimits = .default
    ) {
        self.init(
            backend: backend, signals: signals, timeout: timeout, limits: limits,
            headerFields: { _ in [:] })
    }

    /// Creates a source from a backend, with header fields of your own.
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
        headerFields: @escaping @Sendable (_ userID: String?) async throws -> [String: String]
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

    /// Yields after signals or tokens have changed.
    public func changes() -> AsyncStream<Void> {
        let sources = changeSources.map { $0.makeStream() }
        if sources.count == 1 { return sources[0] }
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let task = Task {
            await withTaskGroup { group in
                for source in sources {
                    group.addTask { for await _ in source { continuation.yield() } }
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// The same source with other streams, which have credentials of their own.
    func streaming(
        refresh: CredentialRefresh?, _ request: @escaping ContextRequestMaker
    ) -> URLSessionEventSource {
        var source = self
        source.streamRequest = request
        source.streamRefresh = refresh
        source.sharesCredentials = false
        return source
    }

    /// The context for a user's next request.
    func context(
        _ userID: String?, _ lastKnown: ConfigurationState?
    ) -> JSONURLDownloader.RequestContext {
        JSONURLDownloader.RequestContext(
            userID: userID, signals: signals?.values ?? [:], entityTag: lastKnown?.entityTag,
            templateVersion: lastKnown?.templateVersion)
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
