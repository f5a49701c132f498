import Foundation

/// What a client shows the backend to be let in (HTTP 5).
///
/// ```swift
/// let credentials = ClientCredentials.userToken { userID, isRefresh in
///     isRefresh ? try await session.refreshToken() : try await session.token()
/// }
/// let downloader = JSONURLDownloader(backend: backend, credentials: credentials)
/// ```
///
/// A key or token is sent in a header field only, is not sent to another origin when the backend
/// redirects, and is in no error and in no log.
public struct ClientCredentials: Sendable {
    enum Kind: Sendable {
        case none
        case apiKey(String)
        case userToken(@Sendable (_ userID: String?, _ isRefresh: Bool) async throws -> String)
    }

    let kind: Kind

    /// Nothing is sent.
    public static let none = ClientCredentials(kind: .none)

    /// A key of the app's, sent as `X-API-Key`.
    ///
    /// Whoever has the app has the key: it keeps strangers out, and tells no users apart.
    ///
    /// - Parameter key: The key, of visible ASCII characters.
    /// - Returns: The credentials.
    public static func apiKey(_ key: String) -> ClientCredentials {
        ClientCredentials(kind: .apiKey(key))
    }

    /// A token of the user's, such as a JWT, sent as `Authorization: Bearer`.
    ///
    /// - Parameter token: Gives the token of a user, nil being the generic user. It is called before
    ///   each request, so keep the token. After an answer 401 it is called again, once, with
    ///   `isRefresh` true, and has to give a new one; requests of that user that are refused at the
    ///   same time share the call. What it throws fails the download with
    ///   ``DownloadError/Code/noCredentials``.
    /// - Returns: The credentials.
    public static func userToken(
        _ token: @escaping @Sendable (_ userID: String?, _ isRefresh: Bool) async throws -> String
    ) -> ClientCredentials {
        ClientCredentials(kind: .userToken(token))
    }

    /// Gets a new token after a 401; nil when there is none to get.
    var refresh: JSONURLDownloader.Refresh? {
        guard case .userToken(let token) = kind else { return nil }
        return JSONURLDownloader.Refresh(isPerUser: true) { try await token($0, true) }
    }

    /// The header field for a request, if any.
    ///
    /// - Throws: ``DownloadError``, which names `url`; `CancellationError`.
    func field(
        for context: JSONURLDownloader.RequestContext, url: URL
    ) async throws -> (name: String, value: String)? {
        switch kind {
        case .none: return nil
        case .apiKey(let key): return ("X-API-Key", try checked(key, url))
        case .userToken(let token):
            let value: String
            do {
                value =
                    if let refreshed = context.refreshedToken { refreshed } else {
                        try await token(context.userID, false)
                    }
            } catch {
                if error is CancellationError { throw error }
                throw DownloadError(.noCredentials, url: url, underlyingError: error)
            }
            return ("Authorization", "Bearer \(try checked(value, url))")
        }
    }

    /// - Throws: when the text would end the header field, or is empty.
    private func checked(_ text: String, _ url: URL) throws -> String {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw DownloadError(.noCredentials, url: url)
        }
        return text
    }
}
