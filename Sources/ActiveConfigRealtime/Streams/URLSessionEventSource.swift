public import ActiveConfig

#if canImport(FoundationNetworking)
    public import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Documents and events of a backend that implements the client protocol (*Client protocol*,
/// sections 1 and 2), over `URLSession`.
///
/// ```swift
/// let updater = ActiveConfigUpdater(
///     config,
///     source: URLSessionEventSource(backend: backend, timeout: .seconds(10)))
/// ```
///
/// Each connection fetches the document first and then opens the stream on the same kept-alive
/// connection, which on Linux keeps an idle stream from using a core. Sessions are reused and never
/// released. Redirects are refused, and no cookie is kept. An answer that exceeds a document's
/// limit is aborted while it arrives, and so is a stream with a longer line or event, or with more
/// unread data.
///
/// On Linux, Foundation reads the answers to all requests of a process on one queue, and a server
/// that floods it delays the others until its connection is closed, which takes effect once the
/// server sends more slowly than Foundation reads. Use a server that you trust, over https.
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
    /// The URL for errors; nil: that of the request.
    let reportedURL: URL?
    let timeout: Duration
    let limits: ConfigurationLimits
    let sessions: URLSessionPool
    /// Of the time until a stream's answer.
    package var clock: any Clock<Duration> = ContinuousClock()

    /// The longest time until the answer of a stream, and, by default, as much again from there to
    /// its first event (``ActiveConfigUpdater/Options/helloTimeout``): a proxy that holds a stream
    /// back may hold back the head as well, not only the events.
    static let maximumStreamWait = Duration.seconds(10)
    var streamTimeout: Duration { min(timeout, Self.maximumStreamWait) }

    /// Creates a source from your own requests, for example with a credential.
    ///
    /// - Parameters:
    ///   - timeout: The time limit of a document, from the request to the last byte; a long poll
    ///     may take its wait in addition. A stream whose answer takes longer than this, or than 10
    ///     seconds, counts as none.
    ///   - limits: The limits on the document's size and depth.
    ///   - sessions: The URL sessions.
    ///   - documentRequest: Creates the request for a user's document.
    ///   - streamRequest: Creates the request for a user's stream, on the same server; nil when the
    ///     server has none for that user.
    public init(
        timeout: Duration = .seconds(30), limits: ConfigurationLimits = .default,
        sessions: URLSessionPool = .shared, documentRequest: @escaping RequestMaker,
        streamRequest: @escaping @Sendable (_ userID: String?) async throws -> URLRequest?
    ) {
        self.init(
            timeout: timeout, limits: limits, sessions: sessions,
            documentRequest: { try await documentRequest($0.userID) },
            streamRequest: { try await streamRequest($0.userID) })
    }

    init(
        timeout: Duration, limits: ConfigurationLimits, sessions: URLSessionPool,
        signals: ClientSignals? = nil, refresh: CredentialRefresh? = nil,
        changeSources: [ChangeSignals] = [], reportedURL: URL? = nil,
        documentRequest: @escaping ContextRequestMaker, streamRequest: @escaping ContextRequestMaker
    ) {
        self.timeout = min(max(timeout, .zero), .seconds(24 * 60 * 60))
        self.limits = limits
        self.sessions = sessions
        self.signals = signals
        self.refresh = refresh
        streamRefresh = refresh
        self.changeSources = changeSources
        self.reportedURL = reportedURL
        self.documentRequest = documentRequest
        self.streamRequest = streamRequest
    }

    /// Creates a source from a backend.
    ///
    /// After a 401 answer the user's token is refreshed once and the request sent again. Signals
    /// are read for each connection; when custom signals change or
    /// `ClientCredentials.tokensDidChange()` is called, the updater reconnects. Errors name the
    /// backend's URL, not the user's.
    ///
    /// - Parameters:
    ///   - backend: The backend.
    ///   - signals: Further signals for conditions, such as `["app.version": "2.4.0"]`, which
    ///     replace the backend's of the same names.
    ///   - timeout: The time limit of a document.
    public init(
        backend: ActiveConfigBackend, signals: [String: String] = [:],
        timeout: Duration = .seconds(30)
    ) {
        self.init(
            backend: backend, timeout: timeout,
            changeSources: [backend.credentials.changes]
                + [backend.signals?.changeSignals].compactMap { $0 },
            signals: { $0.signals.merging(signals) { $1 } })
    }

    /// Creates a source with asynchronous signals.
    init(
        backend: ActiveConfigBackend, timeout: Duration, changeSources: [ChangeSignals],
        signals:
            @escaping @Sendable (JSONURLDownloader.RequestContext) async throws
            -> [String: String]
    ) {
        self.init(
            timeout: timeout, limits: backend.limits, sessions: backend.sessions,
            signals: backend.signals, refresh: backend.credentials.refresh,
            changeSources: changeSources, reportedURL: backend.url
        ) { context in
            let url = backend.configurationURL(
                forUserID: context.userID, signals: try await signals(context))
            return try await backend.request(url, context)
        } streamRequest: { context in
            let url = backend.eventsURL(
                forUserID: context.userID, signals: try await signals(context))
            guard let url else { return nil }
            return try await backend.request(url, context)
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

    /// The same source with other streams, which have their own credentials.
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
        JSONURLDownloader.RequestContext(userID, signals: signals, lastKnown: lastKnown)
    }
}

extension ActiveConfigBackend {
    /// The URL of a user's stream of changes (*Client protocol*, section 2); nil when a path cannot
    /// carry the user ID ("", "." and "..").
    public func eventsURL(forUserID userID: String?, signals: [String: String] = [:]) -> URL? {
        if let userID, ["", ".", ".."].contains(userID) { return nil }
        var components = URLComponents(
            url: configurationURL(forUserID: userID, signals: signals),
            resolvingAgainstBaseURL: true)
        components?.percentEncodedPath += "/events"
        return components?.url
    }
}
