package import Foundation
package import HTTPServing
import JWTKit

/// Which clients may read configurations (HTTP 5).
public struct ClientAccess: Sendable {
    /// Everybody may read.
    public static let open = ClientAccess(keys: [], userTokens: nil)

    /// The hashes of the keys, one of which a client has to send; none when no key is needed.
    private let keyHashes: [SecretHash]

    /// What verifies the tokens of users; nil when no token is needed.
    private let userTokens: UserTokenVerifier?

    /// Makes the rule.
    ///
    /// - Parameters:
    ///   - keys: The keys, one of which a client has to send in `X-API-Key` or, when tokens of
    ///     users are not needed, behind `Authorization: Bearer`. None means that no key is needed.
    ///   - userTokens: What verifies the tokens of users. A token is a JWT behind
    ///     `Authorization: Bearer` whose `sub` is the user ID that is asked for; nil means that none
    ///     is needed.
    public init(keys: [String], userTokens: UserTokenVerifier?) {
        keyHashes = keys.map(SecretHash.init(of:))
        self.userTokens = userTokens
    }

    /// Whether everybody may read.
    package var isOpen: Bool { keyHashes.isEmpty && userTokens == nil }

    /// Whether ``check(_:)`` says everything; else ``checkUser(_:forUserID:)`` is needed too.
    package var needsKeyOnly: Bool { userTokens == nil }

    /// Lets a client in that sends the token of a user, after ``check(_:)``.
    ///
    /// - Parameters:
    ///   - headerFields: The fields of the request.
    ///   - userID: The user whose configuration is asked for; nil is the generic user, whom every
    ///     valid token may read. It is looked for only when the token is valid, so that its errors
    ///     are for those alone.
    /// - Returns: The time the token ends; nil when it never does, or when no token is needed.
    /// - Throws: A ``RequestError`` with status 401 without a valid token, and 403 with another
    ///   user's.
    @discardableResult
    package func checkUser(
        _ headerFields: RequestFields,
        forUserID userID: @autoclosure () throws(RequestError) -> String?
    ) async throws(RequestError) -> Date? {
        guard let userTokens else { return nil }
        let date = Date()
        guard let payload = await userTokens.payload(of: headerFields.bearerToken, at: date) else {
            throw .unauthenticated(Self.tokenMessage)
        }
        if let userID = try userID(), !payload.sub.value.utf8.elementsEqual(userID.utf8) {
            throw .permissionDenied(
                "This token is another user's: ask for the configuration of the user it was made "
                    + "for.")
        }
        return UserTokenRules.expirationDate(of: payload, at: date)
    }

    /// What a client without a key is told.
    private static let keyMessage =
        "A valid key is needed: send it in X-API-Key."

    /// What a client without a token is told.
    private static let tokenMessage =
        "A valid token of the user is needed: send it as Authorization: Bearer."
}

extension ClientAccess: EndpointAccess {
    /// Lets a client in that sends one of the keys.
    ///
    /// - Throws: A ``RequestError`` with status 401.
    package func check(_ request: RouteRequest) throws(RequestError) {
        guard !keyHashes.isEmpty else { return }
        let bearer = userTokens == nil ? request.headerFields.bearerToken : nil
        let key = request.headerFields[named: "x-api-key"] ?? bearer ?? ""
        // Compares with every key, so that timing leaks nothing.
        let isKnown = keyHashes.reduce(false) { $1.matches(key) || $0 }
        guard isKnown else { throw .unauthenticated(Self.keyMessage) }
    }
}
