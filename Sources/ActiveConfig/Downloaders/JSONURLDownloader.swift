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
///     var url = server.appending(path: "activeconfig")
///     if let userID { url.append(components: "user", userID) }
///     return URLRequest(url: url)
/// }
/// ```
///
/// The entity tag of the user's own last configuration is sent as `If-None-Match`; 304 then says
/// that nothing has changed. Only 2xx is a document. A body over the limit is stopped while it
/// arrives. Redirects to another host, or from https to http, are refused, since the request may
/// carry credentials. Cancelling the task cancels the request. Nothing is cached by URL.
public struct JSONURLDownloader: ActiveConfigDownloader {
    private let createRequest: @Sendable (_ userID: String?) -> URLRequest
    private let timeout: Duration
    private let limits: ConfigurationLimits

    /// Makes a downloader.
    ///
    /// - Parameters:
    ///   - timeout: The longest that a download may take, from the request to the last byte. The
    ///     request's own `timeoutInterval` bounds each wait for more of the answer.
    ///   - limits: What the document may not exceed.
    ///   - createRequest: Makes the request for a user; nil is the generic user. A user ID can be any
    ///     string: percent-encode it.
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
        let (data, response) = try await URLSessionTransport.data(
            for: request, maximumSize: limits.maximumSize, timeout: timeout)
        switch response.statusCode {
        case 304: return nil
        case 200...299: break
        default:
            throw DownloadError(.httpStatus, status: response.statusCode, url: request.url)
        }
        var state = try ConfigurationState(jsonData: data, limits: limits)
        state.entityTag = response.value(forHTTPHeaderField: "ETag")
        return state
    }
}
