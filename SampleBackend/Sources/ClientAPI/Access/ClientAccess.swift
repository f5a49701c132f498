package import Foundation
package import HTTPServing
import JSONTree

/// The credentials that clients must send to read configurations (PROTOCOL 1).
public struct ClientAccess: Sendable {
    /// Requires no credentials.
    public static let open = ClientAccess(keys: [], userTokens: nil)

    /// Hashes of the accepted keys; empty when no key is required.
    private let keyHashes: [SecretHash]

    /// Nil when no user token is required.
    package let userTokens: UserTokenVerifier?

    /// Requires a key, a user token, both or neither.
    ///
    /// - Parameters:
    ///   - keys: The accepted keys; empty requires no key. A client sends one in `X-API-Key`, or in
    ///     `Authorization: Bearer` when no user token is required.
    ///   - userTokens: Verifies user tokens; nil requires none. A token is a JWT in
    ///     `Authorization: Bearer` whose `sub` is the ID of the requested user.
    public init(keys: [String], userTokens: UserTokenVerifier?) {
        keyHashes = keys.map(SecretHash.init(of:))
        self.userTokens = userTokens
    }

    /// True when no credentials are required.
    package var isOpen: Bool { keyHashes.isEmpty && userTokens == nil }

    /// True when ``check(_:)`` is sufficient; otherwise ``checkUser(_:forUserID:)`` must be called
    /// too.
    package var needsKeyOnly: Bool { userTokens == nil }

    /// Checks the user token of a request, after ``check(_:)``.
    ///
    /// - Parameters:
    ///   - headerFields: The fields of the request.
    ///   - userID: The user whose configuration is requested; nil means the generic user, which
    ///     every valid token may read. It is evaluated only when the token is valid, so its errors
    ///     are not revealed to unauthenticated clients.
    /// - Returns: The time at which the token expires; nil when it never expires, or when no token
    ///   is required.
    /// - Throws: A ``RequestError`` with status 401 without a valid token, and 403 with the token
    ///   of another user.
    @discardableResult
    package func checkUser(
        _ headerFields: RequestFields,
        forUserID userID: @autoclosure () throws(RequestError) -> String?
    ) async throws(RequestError) -> Date? {
        guard let userTokens else { return nil }
        let date = Date()
        guard let text = headerFields.bearerToken else {
            throw .unauthenticated(Self.tokenMessage)
        }
        guard let token = await userTokens.token(text, at: date) else {
            throw .unauthenticated(Self.refusalMessage)
        }
        if let userID = try userID(), !token.userID.hasSameBytes(as: userID) {
            throw .permissionDenied(
                "This token belongs to another user: request the configuration of the token's "
                    + "user.")
        }
        return token.expirationDate
    }

    /// True when a request has the credentials of a client: a key or a valid user token.
    package func isClient(_ headerFields: RequestFields) async -> Bool {
        if hasKnownKey(headerFields) { return true }
        guard let userTokens else { return false }
        return await userTokens.token(headerFields.bearerToken, at: Date()) != nil
    }

    /// True when a request has one of the accepted keys.
    func hasKnownKey(_ headerFields: RequestFields) -> Bool {
        let bearer = userTokens == nil ? headerFields.bearerToken : nil
        let key = headerFields.first(named: "x-api-key") ?? bearer ?? ""
        // Compares against every key, so timing leaks nothing.
        return keyHashes.reduce(false) { $1.matches(key) || $0 }
    }

    /// 401: the user's token expired while the request waited.
    static let expiredToken = RequestError.unauthenticated(
        "The user's token has expired: send a new one as Authorization: Bearer.")

    private static let keyMessage =
        "A valid key is needed: send it in X-API-Key."

    private static let tokenMessage =
        "A token of the user is needed: send it as Authorization: Bearer."

    /// The same for every refused token, so that the answer does not help to forge one.
    private static let refusalMessage =
        "The user's token has expired or is invalid: send a new one as Authorization: Bearer. If "
        + "that is refused too, sample-backend doctor --explain-token says why."
}

extension ClientAccess: EndpointAccess {
    /// Checks the key of a request.
    ///
    /// - Throws: A ``RequestError`` with status 401 when it has none of the accepted keys.
    package func check(_ request: RouteRequest) throws(RequestError) {
        guard keyHashes.isEmpty || hasKnownKey(request.headerFields) else {
            throw .unauthenticated(Self.keyMessage)
        }
    }
}
