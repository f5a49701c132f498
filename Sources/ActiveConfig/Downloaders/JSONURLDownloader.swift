#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Downloads a document of the exchange format from a URL.
///
/// ```swift
/// let downloader = JSONURLDownloader { userID in
///     let query = userID.map { "?user=\(ActiveConfigBackend.percentEncoded($0))" } ?? ""
///     return URLRequest(url: URL(string: "config.json\(query)", relativeTo: server) ?? server)
/// }
/// ```
///
/// The entity tag of the user's own last configuration is sent as `If-None-Match`. A 304 then means
/// "not modified", except that a later version named in `ActiveConfig-Template-Version` is adopted;
/// after an unconditional request a 304 is an error. Only a 2xx answer is a document. A body over
/// the limit is aborted while it arrives. Cancelling the task cancels the request. Nothing is
/// cached by URL, and no cookie is kept.
///
/// Redirects to another host, or from https to http, are refused. Redirects to another port of the
/// host, or from http to https, are followed without credentials: of the request's header fields,
/// only `Accept…`, `ActiveConfig-Template-Version`, `Cache-Control`, `If-…` and `User-Agent` are sent.
///
/// On Linux, Foundation reads the answers to all requests of a process on one queue. A server that
/// floods it delays the others until its connection is closed, which takes effect within about a
/// second; the error is thrown at once. Foundation cannot handle some answers, and code above it
/// cannot prevent that: it reads the body of a redirect to its end, and it terminates the process
/// at a `Content-Length` of almost 2⁶³, at trailer fields after a chunked body, and at a relative
/// redirect to an IPv6 address. Use a server that you trust, over https.
public struct JSONURLDownloader: ActiveConfigDownloader {
    private let createRequest: @Sendable (RequestContext) async throws -> URLRequest
    private let refresh: CredentialRefresh?
    /// The URL that errors name; nil: that of the request.
    private let reportedURL: URL?
    private let timeout: Duration
    private let limits: ConfigurationLimits
    private let sessions: URLSessionPool
    private let signals: ClientSignals?

    /// The default time limit of an answer, 30 seconds: a server that accepts the request and stays
    /// silent must not delay a launch.
    public static let defaultTimeout = Duration.seconds(30)

    /// Creates a downloader.
    ///
    /// - Parameters:
    ///   - timeout: The time limit of a download, from the request to the last byte, by default 30
    ///     seconds, at most a year. The request's own `timeoutInterval` bounds each wait for more
    ///     data, in whole seconds, at least one and at most a week.
    ///   - limits: The limits on the document's size and depth.
    ///   - createRequest: Creates the request for a user; nil is the generic user. A user ID can be
    ///     any string, including `..` and `a+b`: put ``ActiveConfigBackend/percentEncoded(_:)``
    ///     into the query or a header field.
    public init(
        timeout: Duration = defaultTimeout, limits: ConfigurationLimits = .default,
        createRequest: @escaping @Sendable (_ userID: String?) -> URLRequest
    ) {
        self.init(
            timeout: timeout, limits: limits, sessions: .shared, signals: nil, reportedURL: nil,
            refresh: nil, createRequest: { createRequest($0.userID) })
    }

    /// Creates a downloader whose requests are created asynchronously, for example with a token.
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
    ///   - timeout: The time limit of the answer, from the request to the last byte, by default 30
    ///     seconds, at most a year. The time of `createRequest` and `refresh` does not count; the
    ///     `downloadTimeout` of ``ActiveConfig/ActiveConfig`` bounds all of it.
    ///   - limits: The limits on the document's size and depth.
    ///   - sessions: The URL sessions.
    ///   - signals: The app's signals; `createRequest` gets their values.
    ///   - refresh: Gets new credentials after a 401 answer; then `createRequest` is called again,
    ///     once. Concurrent refused requests share one refresh. Nil: a 401 is an error like others.
    ///   - createRequest: Creates a request. The download throws its errors.
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
        createRequest: @escaping @Sendable (RequestContext) async throws -> URLRequest
    ) {
        self.timeout = timeout
        self.limits = limits
        self.sessions = sessions
        self.signals = signals
        self.reportedURL = reportedURL
        self.refresh = refresh
        self.createRequest = createRequest
    }

    /// A digest of the signals, which changes with each of them.
    public var requestDigest: String { signals?.digest ?? "" }

    /// Gets a user's document.
    ///
    /// - Throws: ``DownloadError`` when the server gives no usable answer;
    ///   ``ConfigurationFormatError`` when the document is not usable; `CancellationError`.
    public func requestActiveConfig(
        forUserID userID: String?, lastKnown: ConfigurationState?
    ) async throws -> ConfigurationState? {
        var context = RequestContext(userID, signals: signals, lastKnown: lastKnown)
        return try await refresh.answer(forUserID: userID, url: reportedURL) { token in
            context.refreshedToken = token
            return try await exchange(context, lastKnown)
        }
    }

    /// Sends one request; an error status is returned as a failure.
    private func exchange(
        _ context: RequestContext, _ lastKnown: ConfigurationState?
    ) async throws -> Result<ConfigurationState?, DownloadError> {
        let made = try await AppCode.run { try await createRequest(context) }
        try Task.checkCancellation()
        let document = try DocumentRequest(
            made, context, lastKnown: lastKnown, reportedURL: reportedURL)
        let (body, head) = try await URLSessionTransport.data(
            for: document.request, maximumSize: limits.maximumSize, timeout: timeout,
            reportedURL: document.url, sessions: sessions)
        guard document.isAnswered(by: head) else {
            return .failure(
                ErrorBody(body, of: head)
                    .error(of: document.request, of: context.userID, url: document.url))
        }
        return .success(try document.configuration(body, of: head, limits: limits))
    }
}

extension JSONURLDownloader {
    /// The inputs of a request.
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
        /// The token from a refresh; nil before one.
        package var refreshedToken: String?

        /// Creates a context, for tests of the closure that creates requests.
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

        /// For a request that can be conditional.
        package init(
            _ userID: String?, signals: ClientSignals?, lastKnown: ConfigurationState?
        ) {
            self.init(
                userID: userID, signals: signals?.values ?? [:], entityTag: lastKnown?.entityTag,
                templateVersion: lastKnown?.meta["template_version"]?.integerValue)
        }

        /// For a request without a document.
        package init(_ userID: String?, token: String?) {
            self.init(userID: userID, signals: [:], entityTag: nil, templateVersion: nil)
            refreshedToken = token
        }
    }
}
