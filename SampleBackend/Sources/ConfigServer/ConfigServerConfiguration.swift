/// A type that says where a ``ConfigServer`` listens and what it allows.
public struct ConfigServerConfiguration: Sendable, Hashable {
    /// The name or address to listen on.
    public var hostname: String

    /// The TCP port to listen on; 0 takes a free one.
    public var port: Int

    /// What one connection may cost.
    public var limits: ServerLimits

    /// Makes a configuration.
    ///
    /// - Parameters:
    ///   - hostname: The name or address to listen on; `0.0.0.0` is every IPv4 address.
    ///   - port: 0 to 65,535; 0 takes a free one.
    ///   - limits: What one connection may cost.
    public init(
        hostname: String = "127.0.0.1", port: Int = 8080, limits: ServerLimits = ServerLimits()
    ) {
        self.hostname = hostname
        self.port = port
        self.limits = limits
    }
}
