package import Foundation

/// Gets new credentials after an answer 401: once for the requests that were refused at the same time,
/// each of which is then sent once more.
package struct CredentialRefresh: Sendable {
    /// False: one refresh is for the requests of all users.
    private let isPerUser: Bool
    private let body: @Sendable (_ userID: String?) async throws -> String?
    private let refreshes = JoinedRefreshes()

    /// Creates it; `body` returns the new token, if it is one that is passed on.
    init(
        isPerUser: Bool, _ body: @escaping @Sendable (_ userID: String?) async throws -> String?
    ) {
        self.isPerUser = isPerUser
        self.body = body
    }

    /// Sends a request, and again with new credentials when it was refused.
    ///
    /// - Parameters:
    ///   - userID: The user of the request.
    ///   - url: The URL that errors name.
    ///   - isRefused: True for an answer 401.
    ///   - send: Sends it, with the new token or nil, and returns the answer.
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
    /// Sends a request once, or once more after a refresh, if there is one.
    package func answer<Answer: Sendable>(
        forUserID userID: String?, url: URL?, isRefused: (Answer) -> Bool,
        _ send: (_ refreshedToken: String?) async throws -> Answer
    ) async throws -> Answer {
        guard let refresh = self else { return try await send(nil) }
        return try await refresh.answer(
            forUserID: userID, url: url, isRefused: isRefused, send)
    }

    /// Sends a request whose refusal is an error of the status 401.
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
