#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// URL sessions of one configuration, for an ``ActiveConfigBackend`` that needs a proxy, a pinned
/// certificate, or other header fields for all requests: documents, streams and acknowledgements.
///
/// ```swift
/// let sessions = URLSessionPool {
///     let configuration = URLSessionConfiguration.ephemeral
///     configuration.httpAdditionalHeaders = ["X-App": "shop"]
///     return configuration
/// }
/// let backend = ActiveConfigBackend(url: server, sessions: sessions)
/// ```
///
/// A session runs one request at a time and is reused. Sessions are kept forever, even after the
/// pool is released: create one pool, not one per downloader. Regardless of the configuration
/// nothing is cached by URL and no cookie is kept. Do not use background configurations, which
/// cannot be awaited. On Apple's platforms `timeoutIntervalForResource`, 7 days by default, also
/// ends streams, which the updater then reopens.
///
/// On Linux, Foundation does not ask a delegate about a server's certificate, so certificates
/// cannot be pinned, and takes the proxy from the environment (`http_proxy`, `https_proxy`).
public final class URLSessionPool: Sendable {
    /// Keeps every pool forever: on Linux a session must not be dropped while it holds an idle
    /// connection, nor be invalidated while one of its tasks ends.
    private static let pools = Locked<[URLSessionPool]>([])

    /// The default pool: ephemeral sessions without credentials.
    public static let shared = URLSessionPool {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCredentialStorage = nil
        return configuration
    }

    private let makeConfiguration: @Sendable () -> URLSessionConfiguration
    /// Answers challenges, on Apple's platforms.
    package let delegate: (any URLSessionDelegate & Sendable)?
    /// A session runs one task at a time, so that a flooding server does not delay other requests.
    private let idleSessions = Locked<[URLSession]>([])

    /// Creates a pool.
    ///
    /// - Parameters:
    ///   - delegate: Answers challenges, such as for a pinned certificate, on Apple's platforms. It
    ///     is called on a queue of the session. It does not receive what the framework handles
    ///     itself, such as redirects and data.
    ///   - configuration: Creates the configuration of a session; called on any thread, once per
    ///     concurrent request or stream.
    public init(
        delegate: (any URLSessionDelegate & Sendable)? = nil,
        configuration: @escaping @Sendable () -> URLSessionConfiguration
    ) {
        makeConfiguration = configuration
        self.delegate = delegate
        Self.pools.withLock { $0.append(self) }
    }

    /// A session for one task, to be returned when the task has ended.
    func take() -> URLSession {
        idleSessions.withLock { $0.popLast() } ?? makeSession()
    }

    func giveBack(_ session: URLSession) {
        idleSessions.withLock { $0.append(session) }
    }

    /// The configuration of a new session, without a cache and cookies.
    package func configuration() -> URLSessionConfiguration {
        let configuration = makeConfiguration()
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        return configuration
    }

    private func makeSession() -> URLSession {
        let configuration = configuration()
        #if canImport(FoundationNetworking)
            return .inline(configuration, delegate: TaskDelegateForwarder())
        #else
            // A task's delegate takes precedence over the session's.
            return URLSession(
                configuration: configuration, delegate: delegate, delegateQueue: nil)
        #endif
    }
}
