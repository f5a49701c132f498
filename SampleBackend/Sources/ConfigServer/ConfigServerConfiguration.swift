import AdminAPI
public import ClientAPI
public import HTTPServing
public import WebhookDelivery

/// A type that says where a ``ConfigServer`` listens and what it allows.
public struct ConfigServerConfiguration: Sendable {
    /// The name or address to listen on; `0.0.0.0` is every IPv4 address.
    public var hostname: String

    /// The TCP port to listen on, 0 to 65,535; 0 takes a free one.
    public var port: Int

    /// What one connection may cost.
    public var limits: ServerLimits

    /// The most connections at once; nil sets no limit.
    ///
    /// For another one, the connection is closed that has waited longest for its client. Some places
    /// are kept from streams: one in 32, at least 8, but at most half.
    public var maximumConnections: Int?

    /// Which clients may read configurations.
    public var clientAccess = ClientAccess.open

    /// Which pages of other origins may read configurations.
    public var crossOriginAccess = CrossOriginAccess.none

    /// The hash of a token that may publish, besides those of the store; the token has at least
    /// ``minimumAdministratorTokenLength`` characters.
    public var administratorToken: SecretHash?

    /// Names that the server answers to besides ``hostname`` and those of this machine, without a
    /// port.
    ///
    /// They count for the console, and for everything on a server that anybody on this machine may
    /// use: there the page of a name that was pointed at this machine could read all that is served.
    public var allowedHosts: [String] = []

    /// The certificate and key to serve TLS with; nil serves plain HTTP.
    public var tls: TLSFiles?

    /// The most bytes of rendered documents to keep for a project.
    public var renderCacheBytes = 32 << 20

    /// What is done for webhooks.
    public var webhooks = WebhookConfiguration()

    /// The counts as Prometheus reads them, for `/metrics`; nil answers with an empty text.
    public var metricsText: (@Sendable () -> String)?

    /// Whether the server listens for this machine alone.
    public var isLoopback: Bool { HostName(hostname).isLocal }

    /// The fewest characters of ``administratorToken``.
    public static let minimumAdministratorTokenLength =
        AdministratorAccess.minimumEnvironmentTokenLength

    /// Makes a configuration.
    ///
    /// - Parameters:
    ///   - hostname: The name or address to listen on.
    ///   - port: The TCP port to listen on.
    ///   - limits: What one connection may cost.
    public init(
        hostname: String = "127.0.0.1", port: Int = 8080, limits: ServerLimits = ServerLimits()
    ) {
        self.hostname = hostname
        self.port = port
        self.limits = limits
    }

    /// The most streams at once; nil sets no limit.
    var maximumStreams: Int? {
        maximumConnections.map { $0 - min(max($0 / 32, 8), ($0 + 1) / 2) }
    }
}
