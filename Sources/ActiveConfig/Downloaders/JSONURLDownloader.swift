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
/// that nothing has changed; after an unconditional request it is an error. Only a 2xx answer is a
/// document. A body over the limit is stopped while it arrives. Cancelling the task cancels the
/// request. Nothing is cached by URL, and no cookie is kept.
///
/// Redirects to another host, or from https to http, are refused. Redirects to another port of the
/// host, or from http to https, are followed without credentials: of the request's header fields,
/// only `Accept…`, `Cache-Control`, `If-…` and `User-Agent` are sent.
///
/// On Linux, Foundation reads the answers to all requests of a process on one queue. A server that
/// floods it delays the others until its connection is closed, which takes effect within about a
/// second; the error comes at once. Foundation cannot handle some answers, and no code above it can
/// change that: it reads the body of a redirect to its end, and it ends the process at a
/// `Content-Length` of almost 2⁶³, at trailer fields after a chunked body, and at a relative
/// redirect to an IPv6 address. Use a server that you trust, over https.
public struct JSONURLDownloader: ActiveConfigDownloader {
    private let createRequest: @Sendable (_ userID: String?) -> URLRequest
    private let timeout: Duration
    private let limits: ConfigurationLimits
    /// Header fields that make a request conditional.
    private static let conditions = ["If-None-Match", "If-Modified-Since"]

    /// Creates a downloader.
    ///
    /// - Parameters:
    ///   - timeout: The longest that a download may take, from the request to the last byte, at most
    ///     a year. The request's own `timeoutInterval` bounds each wait for more of the answer, in
    ///     whole seconds, at least one and at most a week.
    ///   - limits: The limits on the document's size and depth.
    ///   - createRequest: Creates the request for a user; nil is the generic user. A user ID can be
    ///     any string, including `..` and `a+b`: put ``ActiveConfigBackend/percentEncoded(_:)``
    ///     into the query or a header field.
    public init(
        timeout: Duration = .seconds(60), limits: ConfigurationLimits = .default,
        createRequest: @escaping @Sendable (_ userID: String?) -> URLRequest
    ) {
        self.timeout = timeout
        self.limits = limits
        self.createRequest = createRequest
    }

    /// Gets a user's document.
    ///
    /// - Throws: ``DownloadError`` when the server gives no usable answer;
    ///   ``ConfigurationFormatError`` when the answer is no usable document; `CancellationError`.
    public func requestActiveConfig(
        forUserID userID: String?, lastKnown: ConfigurationState?
    ) async throws -> ConfigurationState? {
        var request = createRequest(userID)
        guard ["http", "https"].contains(request.url?.scheme?.lowercased()) else {
            throw DownloadError(.notHTTP, url: request.url)
        }
        if let tag = lastKnown?.entityTag, request.value(forHTTPHeaderField: "If-None-Match") == nil
        {
            request.setValue(tag, forHTTPHeaderField: "If-None-Match")
        }
        let isConditional = Self.conditions.contains {
            request.value(forHTTPHeaderField: $0) != nil
        }
        let (data, response) = try await URLSessionTransport.data(
            for: request, maximumSize: limits.maximumSize, timeout: timeout)
        switch response.statusCode {
        // An unconditional request has nothing that could be unchanged.
        case 304 where isConditional && lastKnown != nil:
            return lastKnown?.confirmed(by: response)
        case 200...299: break
        default:
            throw DownloadError(.httpStatus, status: response.statusCode, url: request.url)
        }
        var state = try ConfigurationState(jsonData: data, limits: limits)
        state.entityTag = response.value(forHTTPHeaderField: "ETag")
        state.noteFields(of: response, body: data)
        return state
    }
}
