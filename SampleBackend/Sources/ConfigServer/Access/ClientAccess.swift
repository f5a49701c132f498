import Foundation
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

    /// What a client sends to be let in.
    struct Credentials: Sendable {
        /// The value of `X-API-Key`.
        let apiKey: String?
        /// The value of `Authorization`.
        let authorization: String?
    }

    /// Whether everybody may read.
    var isOpen: Bool { keyHashes.isEmpty && userTokens == nil }

    /// Whether ``checkKey(_:)`` says everything, without waiting.
    var needsKeyOnly: Bool { userTokens == nil }

    /// Lets a client in, or not.
    ///
    /// - Parameters:
    ///   - credentials: What the client sent.
    ///   - userID: The user whose configuration is asked for; nil is the generic user, whom every
    ///     valid token may read. It is looked for only when the credentials are valid, so that its
    ///     errors are for those alone.
    /// - Returns: The time the user's token ends; nil when it never does, or when no token is needed.
    /// - Throws: A ``RequestError`` with status 401 without valid credentials, and 403 with those of
    ///   another user.
    @discardableResult
    func check(
        _ credentials: Credentials,
        forUserID userID: @autoclosure () throws(RequestError) -> String?
    ) async throws(RequestError) -> Date? {
        try checkKey(credentials)
        guard let userTokens else { return nil }
        let date = Date()
        let token = AdministratorAccess.bearerToken(in: credentials.authorization)
        guard let payload = await userTokens.payload(of: token, at: date) else {
            throw .unauthenticated(Self.tokenMessage)
        }
        if let userID = try userID(), !payload.sub.value.utf8.elementsEqual(userID.utf8) {
            throw .permissionDenied(
                "This token is another user's: ask for the configuration of the user it was made "
                    + "for.")
        }
        return UserTokenRules.expirationDate(of: payload, at: date)
    }

    /// Lets a client in that sends one of the keys.
    ///
    /// - Throws: A ``RequestError`` with status 401.
    func checkKey(_ credentials: Credentials) throws(RequestError) {
        guard !keyHashes.isEmpty else { return }
        let bearer =
            userTokens == nil ? AdministratorAccess.bearerToken(in: credentials.authorization) : nil
        let key = credentials.apiKey ?? bearer ?? ""
        // All are compared, whichever fits, so that the time tells nothing.
        let fits = keyHashes.reduce(false) { $1.matches(key) || $0 }
        guard fits else { throw .unauthenticated(Self.keyMessage) }
    }

    /// What a client without a key is told.
    private static let keyMessage =
        "A valid key is needed: send it in X-API-Key."

    /// What a client without a token is told.
    private static let tokenMessage =
        "A valid token of the user is needed: send it as Authorization: Bearer."
}
