#if canImport(FoundationNetworking)
    import Foundation
    package import FoundationNetworking
#else
    package import Foundation
#endif

/// The credentials of a client (<doc:Client-protocol>, section 1).
///
/// ```swift
/// let credentials = ClientCredentials.userToken { request in
///     switch request.reason {
///     case .refused: try await session.refreshToken()
///     default: try await session.token()
///     }
/// }
/// let backend = ActiveConfigBackend(url: server, credentials: credentials)
/// ```
///
/// The downloader, the updater and the acknowledger of a backend share refreshes. A key or token is
/// sent in a header field only, never to another origin after a redirect, and appears in no error
/// or log. If the closure throws a system error or a `LocalizedError`, errors and log have its text;
/// of any other error they name the type.
public struct ClientCredentials: Sendable {
    /// A request for a token, answered by the app's closure.
    public struct TokenRequest: Sendable, Hashable {
        /// The reason for a token request.
        ///
        /// Reasons may be added: keep a `default` when you switch over it.
        public struct Reason: Sendable, Hashable, CustomStringConvertible {
            private enum Kind: String {
                case first, refused
            }

            private let kind: Kind

            /// A request to the backend needs a token: return the current one.
            public static let first = Reason(kind: .first)
            /// The backend refused the last token (401): return a new one.
            public static let refused = Reason(kind: .refused)

            /// The name, such as `refused`.
            public var description: String { kind.rawValue }
        }

        /// The user; nil is the generic user, and all users for ``ClientCredentials/bearerToken(_:)``.
        public let userID: String?
        /// The reason.
        public let reason: Reason

        /// Creates a request, for tests of the closure.
        ///
        /// - Parameters:
        ///   - userID: The user; nil is the generic user.
        ///   - reason: The reason.
        public init(userID: String?, reason: Reason) {
            self.userID = userID
            self.reason = reason
        }
    }

    private typealias Token = @Sendable (TokenRequest) async throws -> String

    private enum Kind: Sendable {
        case none
        case apiKey(String)
        case token(Token)
    }

    private let kind: Kind
    /// False for one token for all users.
    private let isPerUser: Bool
    /// Gets a new token after a 401; nil when there is no way to get one.
    package let refresh: CredentialRefresh?
    /// Notifies open connections of new tokens.
    package let changes = ChangeSignals()

    private init(kind: Kind, isPerUser: Bool = true) {
        self.kind = kind
        self.isPerUser = isPerUser
        refresh =
            if case .token(let token) = kind {
                CredentialRefresh(isPerUser: isPerUser) { userID in
                    try await token(
                        TokenRequest(userID: isPerUser ? userID : nil, reason: .refused))
                }
            } else { nil }
    }

    /// Sends no credentials.
    public static let none = ClientCredentials(kind: .none)

    /// The key of an app, or of a service, sent as `X-API-Key`.
    ///
    /// Every copy of an app contains its key, which does not identify users.
    ///
    /// - Parameter key: The key, of visible ASCII characters.
    /// - Returns: The credentials.
    public static func apiKey(_ key: String) -> ClientCredentials {
        ClientCredentials(kind: .apiKey(key))
    }

    /// A user's token, such as a JWT, sent as `Authorization: Bearer`.
    ///
    /// - Parameter token: Returns the token of the request's user. It is called before each
    ///   request, so cache the token. After a 401 answer it is called again, once, with the reason
    ///   `refused`, and must return a new one; concurrent refused requests of that user share the
    ///   call. Its error fails the download with ``DownloadError/Code/noCredentials``.
    /// - Returns: The credentials.
    public static func userToken(
        _ token: @escaping @Sendable (_ request: TokenRequest) async throws -> String
    ) -> ClientCredentials {
        ClientCredentials(kind: .token(token))
    }

    /// A token for all users, sent as `Authorization: Bearer`, for a backend that accepts one.
    ///
    /// - Parameter token: Returns the token. It is called before each request, so cache the token.
    ///   After a 401 answer it is called again, once for all concurrent refused requests, with the
    ///   reason `refused`, and must return a new one. Its error fails the request with
    ///   ``DownloadError/Code/noCredentials``.
    /// - Returns: The credentials.
    public static func bearerToken(
        _ token: @escaping @Sendable (_ request: TokenRequest) async throws -> String
    ) -> ClientCredentials {
        ClientCredentials(kind: .token(token), isPerUser: false)
    }

    /// Makes updaters reconnect, each user with a new token, for example after a sign-in.
    ///
    /// Not needed for a token that expires: the server ends its stream, and the next connection
    /// requests another token.
    public func tokensDidChange() { changes.yield() }

    /// Adds the credentials to a request.
    ///
    /// - Throws: As `field(for:url:)`.
    package func authorize(
        _ request: inout URLRequest, of backend: ActiveConfigBackend,
        _ context: JSONURLDownloader.RequestContext
    ) async throws {
        guard let field = try await field(for: context, url: backend.url) else { return }
        request.setValue(field.value, forHTTPHeaderField: field.name)
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
        case .token(let token):
            let value: String
            do {
                value =
                    if let refreshed = context.refreshedToken { refreshed } else {
                        try await token(
                            TokenRequest(
                                userID: isPerUser ? context.userID : nil, reason: .first))
                    }
            } catch {
                if error is CancellationError { throw error }
                throw DownloadError(.noCredentials, url: url, underlyingError: error)
            }
            return ("Authorization", "Bearer \(try checked(value, url))")
        }
    }

    /// - Throws: when the text cannot be the value of a header field, or is empty.
    private func checked(_ text: String, _ url: URL) throws -> String {
        if text.isEmpty {
            throw DownloadError(.noCredentials, url: url, underlyingError: UnusableText.empty)
        }
        guard let index = text.utf8.firstIndex(where: { !(0x21...0x7E).contains($0) }) else {
            return text
        }
        let position = text.utf8.distance(from: text.utf8.startIndex, to: index) + 1
        throw DownloadError(
            .noCredentials, url: url,
            underlyingError: UnusableText.character(position: position, count: text.utf8.count))
    }

    /// A key or token that a header field cannot carry.
    private enum UnusableText: LocalizedError {
        case empty
        case character(position: Int, count: Int)

        var errorDescription: String? {
            switch self {
            case .empty: "the key or token is empty"
            case .character(let position, let count):
                "byte \(position) of the \(count) of the key or token is a space, a line break or "
                    + "another character that a header field cannot carry"
            }
        }
    }
}
