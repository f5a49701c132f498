package import Foundation

/// Gets new credentials after a 401 answer: once for all concurrent refused requests, each of which
/// is then sent once more.
package struct CredentialRefresh: Sendable {
    /// False: one refresh serves the requests of all users.
    private let isPerUser: Bool
    private let body: @Sendable (_ userID: String?) async throws -> String?
    private let refreshes = JoinedRefreshes()

    /// Creates it; `body` returns the new token, if it is to be passed on.
    init(
        isPerUser: Bool, _ body: @escaping @Sendable (_ userID: String?) async throws -> String?
    ) {
        self.isPerUser = isPerUser
        self.body = body
    }

    /// Sends a request, and again with new credentials if it was refused.
    ///
    /// - Parameters:
    ///   - userID: The user of the request.
    ///   - url: The URL that errors name.
    ///   - isRefused: True for a 401 answer.
    ///   - send: Sends the request, with the new token or nil, and returns the answer.
    /// - Returns: The last answer.
    /// - Throws: What `send` throws, or ``DownloadError/Code/noCredentials``.
    func answer<Answer: Sendable>(
        forUserID userID: String?, url: URL?, isRefused: (Answer) -> Bool,
        _ send: (_ refreshedToken: String?) async throws -> Answer
    ) async throws -> Answer {
        let joined = isPerUser ? UserID(userID) : .generic
        let count = refreshes.begin(joined)
        defer { refreshes.end(joined) }
        let answer = try await send(nil)
        guard isRefused(answer) else { return answer }
        let token: String?
        do {
            token = try await refreshes.refresh(joined, since: count) { try await body(userID) }
        } catch {
            try Task.checkCancellation()
            throw error is CancellationError || error is DownloadError
                ? error
                : DownloadError(.noCredentials, status: 401, url: url, underlyingError: error)
        }
        return try await send(token)
    }
}

extension CredentialRefresh? {
    /// Sends a request, and once more after a refresh if one is possible.
    package func answer<Answer: Sendable>(
        forUserID userID: String?, url: URL?, isRefused: (Answer) -> Bool,
        _ send: (_ refreshedToken: String?) async throws -> Answer
    ) async throws -> Answer {
        guard let refresh = self else { return try await send(nil) }
        return try await refresh.answer(
            forUserID: userID, url: url, isRefused: isRefused, send)
    }

    /// Sends a request whose refusal is an error with the status 401.
    package func answer<Answer: Sendable>(
        forUserID userID: String?, url: URL?,
        _ send: (_ refreshedToken: String?) async throws -> Result<Answer, DownloadError>
    ) async throws -> Answer {
        func isRefused(_ answer: Result<Answer, DownloadError>) -> Bool {
            if case .failure(let error) = answer { error.status == 401 } else { false }
        }
        return try await answer(forUserID: userID, url: url, isRefused: isRefused, send).get()
    }
}
