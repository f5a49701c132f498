import AdminAPI
public import ClientAPI
public import Foundation
public import HTTPServing
public import WebhookDelivery

/// The address of a ``ConfigServer``, and its limits and permissions.
public struct ConfigServerOptions: Sendable {
    /// The name or address to listen on; `0.0.0.0` means every IPv4 address.
    public var hostname: String

    /// The TCP port to listen on, 0 to 65,535; 0 takes a free one.
    public var port: Int

    /// Limits on requests, connections and clients.
    public var limits: ServerLimits

    /// Maximum number of concurrent connections, 2 or more; nil sets no limit.
    ///
    /// At the limit, a new connection closes the one that has waited longest for its client. One
    /// place in 32, at least 8 and at most half of all, is reserved for requests, so streams cannot
    /// take every connection.
    public var maximumConnections: Int?

    /// The rule for clients that read configurations.
    public var clientAccess = ClientAccess.open

    /// Hashes of the keys of services, which may listen for many users on one connection.
    public var serviceKeys: [SecretHash] = []

    /// Signs documents; nil leaves them unsigned.
    public var documentSigner: DocumentSigner?

    /// The share of clients, 0 to 1, that are asked to acknowledge versions; nil refuses
    /// acknowledgements.
    public var acknowledgedShare: Double?

    /// True keeps a sample of the signals of recent requests in memory, without user IDs and rare
    /// values, for estimates of whom a template changes.
    public var samplesSignals = true

    /// The rule for pages of other origins that read configurations.
    public var crossOriginAccess = CrossOriginAccess.none

    /// Hash of a publisher's token that is valid in addition to the stored ones.
    ///
    /// The token has at least ``minimumAdministratorTokenLength`` characters.
    public var administratorToken: SecretHash?

    /// Host names that the server accepts besides ``hostname`` and those of this machine, without a
    /// port.
    ///
    /// They are checked for the console, and for every request to a server that is open to all
    /// users of this machine: otherwise DNS rebinding would let a foreign page read all content
    /// that is served.
    public var allowedHosts: [String] = []

    /// The certificate and key for TLS; nil serves plain HTTP.
    public var tls: TLSFiles?

    /// Folder with the console's files, for work on the console; nil takes the embedded ones.
    public var consolePages: URL?

    /// Maximum size of the cache of rendered documents, in bytes for each project.
    public var renderCacheBytes = 32 << 20

    /// The delivery of webhooks.
    public var webhooks = WebhookOptions()

    /// The path of the file that keeps a snapshot of the store, from which the server starts when the
    /// store does not answer, or has lost changes that the snapshot has; nil keeps none.
    ///
    /// A store that is a `StoreMarking` is told from another one, whose snapshot is refused.
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
    ///   - port: The TCP port to listen on; 0 takes a free one.
    ///   - limits: Limits on requests, connections and clients.
    public init(
        hostname: String = "127.0.0.1", port: Int = 8080, limits: ServerLimits = ServerLimits()
    ) {
        self.hostname = hostname
        self.port = port
        self.limits = limits
    }

    /// Maximum number of concurrent streams; nil sets no limit.
    var maximumStreams: Int? {
        maximumConnections.map { connections in
            let reserved = min(max(connections / 32, 8), (connections + 1) / 2)
            return max(connections - max(reserved, ConnectionPlaces.minimum), 0)
        }
    }
}
