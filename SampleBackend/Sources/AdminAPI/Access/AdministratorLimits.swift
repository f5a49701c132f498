/// Limits on requests of administrators.
public struct AdministratorLimits: Sendable, Hashable {
    /// Maximum bytes of an administrator's request body, which may be a template.
    public var bodyBytes = 16 << 20

    /// Maximum attempts to sign in to the console per second from one address, at least 1.
    public var signInsPerSecond = 5

    /// Maximum requests per second from one address with an invalid administrator's token or
    /// session, at least 1.
    ///
    /// The burst is ten times this rate. Requests with valid credentials are not limited.
    public var wrongTokensPerSecond = 100

    /// Creates the default limits, which suit a server on the open Internet.
    public init() {}
}
