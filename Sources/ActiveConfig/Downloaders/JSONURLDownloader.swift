#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// A downloader that gets a document of the exchange format from a URL.
///
/// ```swift
/// let downloader = JSONURLDownloader { userID in
///     let query = userID.map { "?user=\(ActiveConfigBackend.percentEncoded($0))" } ?? ""
///     return URLRequest(url: URL(string: "config.json\(query)", relativeTo: server) ?? server)
/// }
/// ```
///
/// The entity tag of the user's own last configuration is sent as `If-None-Match`. A 304 then means
/// that nothing has changed, apart from the version that it may name in
/// `ActiveConfig-Template-Version`, which is taken over; after an unconditional request it is an error. Only a 2xx answer is a
/// document. A body over the limit is stopped while it arrives. Cancelling the task cancels the
/// request. Nothing is cached by URL, and no cookie is kept.
///
/// Redirects to another host, or from https to http, are refused. Redirects to another port of the
/// host, or from http to https, are followed without credentials: of the request's header fields,
/// only `Accept…`, `ActiveConfig-Template-Version`, `Cache-Control`, `If-…` and `User-Agent` are sent.
///
/// On Linux, Foundation reads the answers to all requests of a process on one queue. A server that
/// floods it delays the others until its connection is closed, which takes effect within about a
/// second; the error comes at once. Foundation cannot handle some answers, and no code above it can
/// change that: it reads the body of a redirect to its end, and it ends the process at a
/// `Content-Length` of almost 2⁶³, at trailer fields after a chunked body, and at a relative
/// redirect to an IPv6 address. Use a server that you trust, over https.
public struct JSONURLDownloader: ActiveConfigDownloader {
    let createRequest: @Sendable (RequestContext) async throws -> URLRequest
    /// Creates the request if that needs no waiting, for what is known of the next one.
    let knownRequest: @Sendable (RequestContext) -> URLRequest?
    /// Of the credentials.
    let tokenChanges: ChangeSignals?
    private let refresh: CredentialRefresh?
    /// The URL that errors name; nil: that of the request.
    private let reportedURL: URL?
    private let timeout: Duration
    private let limits: ConfigurationLimits
    private let sessions: URLSessionPool
    private let signals: ClientSignals?

    /// The longest that an answer may take unless said otherwise, 30 seconds: a server that takes the
    /// request and says nothing must not hold a launch up.
    public static let defaultTimeout = Duration.seconds(30)

    /// Creates a downloader.
    ///
    /// - Parameters:
    ///   - timeout: The longest that a download may take, from the request to the last byte, by
    ///     default 30 seconds, at most a year. The request's own `timeoutInterval` bounds each wait
    ///     for more of the answer, in whole seconds, at least one and at most a week.
    ///   - limits: The limits on the document's size and depth.
    ///   - createRequest: Creates the request for a user; nil is the generic user. A user ID can be
    ///     any string, including `..` and `a+b`: put ``ActiveConfigBackend/percentEncoded(_:)``
    ///     into the query or a header field. After an answer 4xx that a ``FetchPolicy`` waits for, and
    ///     until a download succeeds, it is also called without a request, to compare URL and
    ///     credentials: by each download and by ``ConfigurationStatus/throttledUntil``, on any
    ///     thread. It must be quick, and must not read that property, which calls it.
    public init(
        timeout: Duration = defaultTimeout, limits: ConfigurationLimits = .default,
        createRequest: @escaping @Sendable (_ userID: String?) -> URLRequest
    ) {
        self.init(
            timeout: timeout, limits: limits, sessions: .shared, signals: nil, reportedURL: nil,
            refresh: nil, knownRequest: { createRequest($0.userID) },
            createRequest: { createRequest($0.userID) })
    }

    /// Creates a downloader whose requests may have to be waited for, such as for a token.
    ///
    /// ```swift
    /// let downloader = JSONURLDownloader(
    ///     refresh: { try await session.refreshToken() },
    ///     createRequest: { context in
    ///         var request = URLRequest(url: backend.configurationURL(forUserID: context.userID))
    ///         let token = try await session.token()
    ///         request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    ///         return request
    ///     })
    /// ```
    ///
    /// - Parameters:
    ///   - timeout: The longest that the answer may take, from the request to the last byte, by
    ///     default 30 seconds, at most a year. The time of `createRequest` and `refresh` does not
    ///     count; the `downloadTimeout` of ``ActiveConfig/ActiveConfig`` bounds all of it.
    ///   - limits: The limits on the document's size and depth.
    ///   - sessions: The URL sessions.
    ///   - signals: What the app says of itself; `createRequest` gets the values.
    ///   - refresh: Gets new credentials after an answer 401; then `createRequest` is called again,
    ///     once. Requests that are refused at the same time wait for one refresh. Nil: a 401 is an
    ///     error as others.
    ///   - createRequest: Creates a request. The download throws its errors. While an answer 4xx makes
    ///     the user's requests wait, by a ``FetchPolicy``, a download also calls it without a request, to
    ///     compare URL and credentials; an error of that call is ignored.
    public init(
        timeout: Duration = defaultTimeout, limits: ConfigurationLimits = .default,
        sessions: URLSessionPool = .shared, signals: ClientSignals? = nil,
        refresh: (@Sendable () async throws -> Void)? = nil,
        createRequest: @escaping @Sendable (_ context: RequestContext) async throws -> URLRequest
    ) {
        let refresh = refresh.map { refresh in
            CredentialRefresh(isPerUser: false) { _ in
                try await refresh()
                return nil
            }
        }
        self.init(
            timeout: timeout, limits: limits, sessions: sessions, signals: signals,
            reportedURL: nil, refresh: refresh, createRequest: createRequest)
    }

    init(
        timeout: Duration, limits: ConfigurationLimits, sessions: URLSessionPool,
        signals: ClientSignals?, reportedURL: URL?, refresh: CredentialRefresh?,
        tokenChanges: ChangeSignals? = nil,
        knownRequest: @escaping @Sendable (RequestContext) -> URLRequest? = { _ in nil },
        createRequest: @escaping @Sendable (RequestContext) async throws -> URLRequest
    ) {
        self.timeout = timeout
        self.limits = limits
        self.sessions = sessions
        self.signals = signals
        self.reportedURL = reportedURL
        self.refresh = refresh
        self.tokenChanges = tokenChanges
        self.knownRequest = knownRequest
        self.createRequest = createRequest
    }

    /// A digest of the signals, which differs when one of them has changed.
    public var requestDigest: String { signals?.digest ?? "" }

    /// Gets a user's document.
    ///
    /// - Throws: ``DownloadError`` when the server gives no usable answer;
    ///   ``ConfigurationFormatError`` when the answer is no usable document; `CancellationError`.
    public func requestActiveConfig(
        forUserID userID: String?, lastKnown: ConfigurationState?
    ) async throws -> ConfigurationState? {
        var context = context(userID, lastKnown)
        return try await refresh.answer(forUserID: userID, url: reportedURL) { token in
            context.refreshedToken = token
            return try await exchange(context, lastKnown)
        }
    }

    /// The context of a user's next request.
    func context(_ userID: String?, _ lastKnown: ConfigurationState?) -> RequestContext {
        RequestContext(userID, signals: signals, lastKnown: lastKnown)
    }

    /// Sends one request; a status that is no answer is returned as a failure.
    private func exchange(
        _ context: RequestContext, _ lastKnown: ConfigurationState?
    ) async throws -> Result<ConfigurationState?, DownloadError> {
        let made = try await createRequest(context)
        try Task.checkCancellation()
        let document = try DocumentRequest(
            made, context, lastKnown: lastKnown, reportedURL: reportedURL)
        let (body, head) = try await URLSessionTransport.data(
            for: document.request, maximumSize: limits.maximumSize, timeout: timeout,
            reportedURL: document.url, sessions: sessions)
        guard document.isAnswered(by: head) else {
            return .failure(
                ErrorBody(body, of: head)
                    .refusal(of: document.request, of: context.userID, url: document.url))
        }
        return .success(try document.configuration(body, of: head, limits: limits))
    }
}

extension JSONURLDownloader {
    /// The parts that a request is made of.
    public struct RequestContext: Sendable, Hashable {
        /// The user, any string; nil is the generic user.
        public let userID: String?
        /// The signals by their names in a query, such as `app.version` and `signal.plan`.
        public let signals: [String: String]
        /// The entity tag of the user's own last configuration, which is sent as `If-None-Match`
        /// unless the request has that field.
        public let entityTag: String?
        /// `template_version` of that configuration's `meta`.
        public let templateVersion: Int?
        /// The token that a refresh has given; nil before.
        package var refreshedToken: String?

        /// Creates a context, as for a test of the closure that creates requests.
        ///
        /// - Parameters:
        ///   - userID: The user; nil is the generic user.
        ///   - signals: The signals by their names in a query.
        ///   - entityTag: The entity tag of the user's own last configuration.
        ///   - templateVersion: The version of that configuration.
        public init(
            userID: String?, signals: [String: String] = [:], entityTag: String? = nil,
            templateVersion: Int? = nil
        ) {
            self.userID = userID
            self.signals = signals
            self.entityTag = entityTag
            self.templateVersion = templateVersion
        }

        /// Of a request that may be conditional.
        package init(
            _ userID: String?, signals: ClientSignals?, lastKnown: ConfigurationState?
        ) {
            self.init(
                userID: userID, signals: signals?.values ?? [:], entityTag: lastKnown?.entityTag,
                templateVersion: lastKnown?.meta["template_version"]?.integerValue)
        }

        /// Of a request that asks for no document.
        package init(_ userID: String?, token: String?) {
            self.init(userID: userID, signals: [:], entityTag: nil, templateVersion: nil)
            refreshedToken = token
        }
    }
}
