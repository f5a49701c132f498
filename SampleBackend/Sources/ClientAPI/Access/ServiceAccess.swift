package import Foundation
package import HTTPServing

/// The credentials of services, which may stream the changes of many users over one connection
/// (PROTOCOL 2): a service key or an administrator's token.
package struct ServiceAccess: Sendable {
    private let keys: [SecretHash]
    private let clientAccess: ClientAccess
    private let administrator: @Sendable (RequestFields) throws(RequestError) -> ServiceCaller?
    /// Waits until recently added tokens of administrators are known; see ``CallerRecognition``.
    private let awaitTokens:
        @Sendable (RequestFields) -> (@Sendable () async throws(RequestError) -> Void)?
    private let limit: Int
    package let wrongCredentialsLimiter: RateLimiter<ClientAddress>

    /// Accepts keys in `X-API-Key` or `Authorization: Bearer`, and the tokens that `administrator`
    /// recognizes; that closure throws when it cannot decide.
    package init(
        keys: [SecretHash], clientAccess: ClientAccess,
        administrator: @escaping @Sendable (RequestFields) throws(RequestError) -> ServiceCaller?,
        awaitTokens:
            @escaping @Sendable (RequestFields) ->
            (@Sendable () async throws(RequestError) -> Void)?,
        maximumBodyBytes: Int, wrongCredentialsLimiter: RateLimiter<ClientAddress>
    ) {
        self.keys = keys
        self.clientAccess = clientAccess
        self.administrator = administrator
        self.awaitTokens = awaitTokens
        limit = maximumBodyBytes
        self.wrongCredentialsLimiter = wrongCredentialsLimiter
    }

    /// The caller of a request that ``check(_:)`` has accepted.
    ///
    /// - Throws: A ``RequestError`` with status 403 for a client, whose user token is verified only
    ///   here; the error of `administrator`; status 401 for any other caller.
    func caller(of request: RouteRequest) async throws(RequestError) -> ServiceCaller {
        if let caller = request.caller as? ServiceCaller { return caller }
        if await clientAccess.isClient(request.headerFields) { throw Self.clientRefusal }
        _ = try administrator(request.headerFields)
        throw .unauthenticated(Self.message)
    }

    private static let message =
        "A key of a service or a token of an administrator is needed: send it as "
        + "Authorization: Bearer."

    private static let clientRefusal = RequestError.permissionDenied(
        "These are the credentials of a client, which may listen only for its own user: use a "
            + "service key.")
}

extension ServiceAccess: EndpointAccess {
    package func check(_ request: RouteRequest) throws(RequestError) {
        if request.caller is ServiceCaller { return }
        if clientAccess.hasKnownKey(request.headerFields) { throw Self.clientRefusal }
        // User tokens are verified in ``caller(of:)``.
        guard !clientAccess.needsKeyOnly, request.headerFields.bearerToken != nil else {
            throw .unauthenticated(Self.message)
        }
    }
}

extension ServiceAccess: CallerRecognition {
    package var maximumBodyBytes: Int? { limit }

    package func catchUp(
        for headerFields: RequestFields
    ) -> (@Sendable () async throws(RequestError) -> Void)? { awaitTokens(headerFields) }

    package func caller(
        of headerFields: RequestFields
    ) throws(RequestError) -> RecognizedCaller {
        let key = headerFields.first(named: "x-api-key") ?? headerFields.bearerToken
        guard let key else { return .nobody }
        // Compares against every key, so timing leaks nothing.
        if keys.reduce(false, { $1.matches(key) || $0 }) { return .known(ServiceCaller()) }
        do throws(RequestError) {
            return try administrator(headerFields).map { .known($0) } ?? .wrongCredentials
        } catch {
            // Credentials of clients are refused later.
            if clientAccess.hasKnownKey(headerFields) || !clientAccess.needsKeyOnly {
                return .wrongCredentials
            }
            throw error
        }
    }
}

/// A service, or an administrator who acts as one.
package struct ServiceCaller: RequestCaller {
    /// The time when the credentials expire; nil means never.
    let expirationDate: Date?

    /// False once the credentials are revoked.
    let isAllowed: @Sendable () -> Bool

    /// The projects of the credentials; nil includes all.
    let projects: Set<String>?  // names: names of projects are ASCII

    package init(
        expirationDate: Date? = nil, projects: Set<String>? = nil,
        isAllowed: @escaping @Sendable () -> Bool = { true }
    ) {
        self.expirationDate = expirationDate
        self.projects = projects
        self.isAllowed = isAllowed
    }
}
