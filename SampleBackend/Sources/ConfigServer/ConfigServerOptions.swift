public import AdminAPI
public import ClientAPI
public import Foundation
public import HTTPServing
public import OpenIDConnect
public import WebhookDelivery

/// The address of a ``ConfigServer``, and its limits and permissions.
public struct ConfigServerOptions: Sendable {
    /// The name or address to listen on; `0.0.0.0` means every IPv4 address.
    public var hostname: String

    /// The TCP port to listen on, 0 to 65,535; 0 selects a free port.
    public var port: Int

    /// Limits on requests and connections.
    public var limits: ServerLimits

    /// Limits on streams, long polls and acknowledgements of clients.
    public var clientLimits = ClientLimits()

    /// Limits on requests of administrators.
    public var administratorLimits = AdministratorLimits()

    /// Maximum number of concurrent connections, at least 2; nil means no limit.
    ///
    /// At the limit, the server closes the connection that has waited longest for its client to
    /// make room for a new one. One connection in 32, at least 8 and at most half of all, is
    /// reserved for requests, so streams cannot take every connection.
    public var maximumConnections: Int?

    /// The rule for clients that read configurations.
    public var clientAccess = ClientAccess.open

    /// Hashes of the keys of services, which may stream the changes of many users over one
    /// connection.
    public var serviceKeys: [SecretHash] = []

    /// Signs documents; nil leaves them unsigned.
    public var documentSigner: DocumentSigner?

    /// The share of clients, 0 to 1, that the server asks to acknowledge versions; nil refuses
    /// acknowledgements.
    public var acknowledgedShare: Double?

    /// True to keep a sample of the signals of recent requests in memory, without user IDs and rare
    /// values, for estimating how many users a template affects.
    public var samplesSignals = true

    /// The rule for pages of other origins that read configurations.
    public var crossOriginAccess = CrossOriginAccess.none

    /// Hash of a publisher's token that is valid in addition to the stored ones.
    ///
    /// The token must have at least ``minimumAdministratorTokenLength`` characters.
    public var administratorToken: SecretHash?

    /// The OpenID provider at which people sign in to the console; nil accepts tokens only.
    public var openID: OpenIDOptions?

    /// Host names without ports that the server accepts in addition to ``hostname`` and those of
    /// this machine.
    ///
    /// The server checks them for the console, and for every request when it is open to all users
    /// of this machine. Otherwise DNS rebinding would let a foreign page read everything that the
    /// server serves.
    public var allowedHosts: [String] = []

    /// The networks of proxies whose `X-Forwarded-For` names the client for limits and the audit
    /// trail; other clients cannot set it.
    public var trustedProxies: [IPNetwork] = []

    /// The certificate and key for TLS; nil serves plain HTTP.
    public var tls: TLSFiles?

    /// The certificate of ``tls`` that was read before the server was created.
    var certificate: TLSCertificate?

    /// Folder with the console's files, for developing the console; nil uses the embedded files.
    public var consolePages: URL?

    /// Maximum size of the cache of rendered documents of all projects, in bytes.
    public var renderCacheBytes = 32 << 20

    /// The delivery of webhooks.
    public var webhooks = WebhookOptions()

    /// The path of the file for a snapshot of the store; nil keeps no snapshot.
    ///
    /// The server starts from it when the store does not answer or has lost changes that the
    /// snapshot contains.
    ///
    /// If the store is a `StoreMarking`, the server recognizes and refuses the snapshot of another
    /// store.
    public var snapshotFile: String?

    /// The metrics in Prometheus text format, for `/metrics`; nil serves an empty text.
    public var metricsText: (@Sendable () -> String)?

    /// A Boolean value that indicates whether the server listens on the loopback interface only.
    public var isLoopback: Bool { HostName(hostname).isLocal }

    /// Minimum length of ``administratorToken``, in characters.
    public static let minimumAdministratorTokenLength =
        AdministratorAccess.minimumEnvironmentTokenLength

    /// Creates options of a server that is open to clients and serves plain HTTP.
    ///
    /// - Parameters:
    ///   - hostname: The name or address to listen on.
    ///   - port: The TCP port to listen on; 0 selects a free port.
    ///   - limits: Limits on requests and connections.
    public init(
        hostname: String = "127.0.0.1", port: Int = 8080, limits: ServerLimits = ServerLimits()
    ) {
        self.hostname = hostname
        self.port = port
        self.limits = limits
    }

    /// Maximum number of concurrent streams; nil means no limit.
    var maximumStreams: Int? {
        maximumConnections.map { connections in
            let reserved = min(max(connections / 32, 8), (connections + 1) / 2)
            return max(connections - max(reserved, ConnectionPlaces.minimum), 0)
        }
    }
}
