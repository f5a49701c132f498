#if canImport(FoundationNetworking)
    public import Foundation
    package import FoundationNetworking
#else
    public import Foundation
#endif

/// A backend that implements <doc:Client-protocol>, such as SampleBackend: its address, and how to
/// make requests.
///
/// Pass one value to everything that makes requests: the downloader, the updater and the
/// acknowledger. All of them then use the same credentials, proxy and trusted certificates.
///
/// ```swift
/// import ActiveConfig
/// import ActiveConfigRealtime
/// import ActiveConfigReporting
///
/// let backend = ActiveConfigBackend(url: server, credentials: .apiKey(key))
/// let config = ActiveConfig(configDownloader: JSONURLDownloader(backend: backend))
/// let updater = ActiveConfigUpdater(config, backend: backend)
/// let acknowledger = ConfigurationAcknowledger(config, backend: backend)
/// ```
public struct ActiveConfigBackend: Sendable {
    /// The server's URL, such as `https://config.example.com`; a path is kept.
    public let url: URL
    package let credentials: ClientCredentials
    package let signals: ClientSignals?
    package let sessions: URLSessionPool
    package let limits: ConfigurationLimits

    /// Creates a backend.
    ///
    /// - Parameters:
    ///   - url: The server's URL, http or https, with the path of the project if it is not the default
    ///     one.
    ///   - credentials: The client's credentials, sent with each request.
    ///   - signals: The signals of the app and the device, sent with each request for a document or
    ///     stream; nil sends none.
    ///   - sessions: The URL sessions of all requests, for example with a proxy or a pinned
    ///     certificate.
    ///   - limits: The limits on a document's size and depth.
    public init(
        url: URL, credentials: ClientCredentials = .none, signals: ClientSignals? = nil,
        sessions: URLSessionPool = .shared, limits: ConfigurationLimits = .default
    ) {
        self.url = url
        self.credentials = credentials
        self.signals = signals
        self.sessions = sessions
        self.limits = limits
    }

    /// The URL of a user's configuration (<doc:Client-protocol>, section 1); nil is the generic user.
    ///
    /// Any string can be a user ID. An ID that a path cannot carry ("", "." and "..") is put into
    /// the query.
    public func configurationURL(forUserID userID: String?) -> URL {
        configurationURL(forUserID: userID, signals: [:])
    }

    /// The URL of a user's configuration with signals for conditions (<doc:Client-protocol>,
    /// section 1), such as `["app.version": "2.4.0", "signal.plan": "pro"]`.
    ///
    /// Any string can be a user ID, a signal's name or its value.
    public func configurationURL(forUserID userID: String?, signals: [String: String]) -> URL {
        var query = signals.sortedByName().map {
            "\(Self.percentEncoded($0.key))=\(Self.percentEncoded($0.value))"
        }
        guard let userID else { return appending("/activeconfig", query) }
        let encoded = Self.percentEncoded(userID)
        if ["", ".", ".."].contains(userID) {
            query.insert("userID=\(encoded)", at: 0)
            return appending("/active_config", query)
        }
        return appending("/activeconfig/user/\(encoded)", query)
    }

    /// The URL of the stream of many users, for services (*Client protocol*, section 2).
    package var usersEventsURL: URL { appending("/activeconfig/events", []) }

    /// The URL to which a user's client reports its active version (*Client protocol*, section 2).
    package func acknowledgementURL(forUserID userID: String?) -> URL {
        guard let userID else { return appending("/activeconfig/acknowledgement", []) }
        if ["", ".", ".."].contains(userID) {
            return appending(
                "/active_config/acknowledgement", ["userID=\(Self.percentEncoded(userID))"])
        }
        return appending(
            "/activeconfig/user/\(Self.percentEncoded(userID))/acknowledgement", [])
    }

    /// A request with the credentials.
    ///
    /// - Throws: ``DownloadError/Code/noCredentials``; `CancellationError`.
    package func request(
        _ url: URL, _ context: JSONURLDownloader.RequestContext
    ) async throws -> URLRequest {
        var request = URLRequest(url: url)
        try await credentials.authorize(&request, of: self, context)
        return request
    }

    /// All arguments are percent-encoded already.
    private func appending(_ path: String, _ query: [String]) -> URL {
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            return url
        }
        let base = components.percentEncodedPath
        components.percentEncodedPath =
            (base.hasSuffix("/") ? String(base.dropLast()) : base) + path
        components.percentEncodedQuery = query.isEmpty ? nil : query.joined(separator: "&")
        return components.url ?? url
    }

    /// Returns the text with every byte percent-encoded except unreserved ones (RFC 3986, 2.3),
    /// including `+`, `/` and `%`: for a URL's query or a header field.
    ///
    /// Not suitable for a path component, where `.` and `..` would still change the path.
    public static func percentEncoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return encoded
    }
}

extension JSONURLDownloader {
    /// Creates a downloader from a backend that implements <doc:Client-protocol>.
    ///
    /// Errors name the backend's URL, not the user's.
    ///
    /// - Parameters:
    ///   - backend: The backend.
    ///   - timeout: The time limit of an answer, by default 30 seconds.
    public init(backend: ActiveConfigBackend, timeout: Duration = defaultTimeout) {
        self.init(
            timeout: timeout, limits: backend.limits, sessions: backend.sessions,
            signals: backend.signals, reportedURL: backend.url,
            refresh: backend.credentials.refresh,
            createRequest: { context in
                try await backend.request(
                    backend.configurationURL(forUserID: context.userID, signals: context.signals),
                    context)
            })
    }
}
