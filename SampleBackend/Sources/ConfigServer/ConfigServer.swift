import Foundation
import HummingbirdCore
public import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle
public import TemplateStore

/// A type that serves configurations over HTTP until it is told to stop.
///
/// ```swift
/// let server = try await ConfigServer(store: InMemoryTemplateStore(), logger: logger) { address in
///     print("listening on \(address)")
/// }
/// let group = ServiceGroup(
///     services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
/// try await group.run()
/// ```
///
/// A graceful shutdown takes no new connection, closes the idle ones, lets requests in flight
/// finish, and ends after ``ServerLimits/shutdownTime`` at the latest.
public struct ConfigServer: Service, CustomStringConvertible {
    /// The name of the type; whoever logs its services prints no configuration with it.
    public var description: String { "ConfigServer" }

    /// How many connections may wait until they are accepted.
    ///
    /// Those of a server that was away come back at once. The system may allow fewer.
    private static let backlog = 4_096

    /// Where the documents come from.
    private let source: any ConfigurationSource

    /// What keeps the documents as the store has them; nil without a store.
    private let follower: StoreFollower?

    /// What sends to webhooks; nil without a store.
    private let webhooks: WebhookService?

    /// What administrators may do; nil without a store.
    private let administration: Administration?

    /// What tells clients of changes; nil without a store.
    private let hub: RealtimeHub?

    /// Where to listen and what to allow.
    private let configuration: ConfigServerConfiguration

    /// Where requests and faults are written down.
    private let logger: Logger

    /// What is called once the server listens.
    private let onListening: @Sendable (ListeningAddress) async -> Void

    /// Makes a server of what a store keeps; it reads the store, and listens when it is run.
    ///
    /// - Parameters:
    ///   - store: Where templates and tokens are kept; who made it closes it.
    ///   - configuration: Where to listen and what to allow.
    ///   - logger: Gets one line per request at level info, and the reasons of failures.
    ///   - onListening: Called once, when connections are accepted.
    /// - Throws: `TemplateStoreError` when the store cannot be read.
    public init(
        store: any TemplateStore,
        configuration: ConfigServerConfiguration = ConfigServerConfiguration(),
        logger: Logger,
        onListening: @escaping @Sendable (ListeningAddress) async -> Void = { _ in }
    ) async throws(TemplateStoreError) {
        let metrics = ServerMetrics()
        let library = TemplateLibrary(
            store: store, logger: logger, metrics: metrics,
            cacheBytes: configuration.renderCacheBytes)
        let access = AdministratorAccess(environmentToken: configuration.administratorToken)
        let follower = StoreFollower(
            library: library, access: access, logger: logger, metrics: metrics)
        try await follower.load()
        let hub = RealtimeHub(
            library: library, limits: configuration.limits,
            maximumStreams: configuration.maximumStreams)
        self.init(
            source: library, follower: follower,
            webhooks: WebhookService(
                store: store, configuration: configuration.webhooks, logger: logger,
                metrics: metrics),
            administration: Administration(
                store: store, library: library, access: access, metrics: metrics, hub: hub,
                now: { Date() },
                allowsPrivateWebhooks: configuration.webhooks.allowsPrivateAddresses),
            configuration: configuration, logger: logger, onListening: onListening)
    }

    /// Makes a server of a source, without administration.
    ///
    /// - Parameters:
    ///   - source: Where the documents come from.
    ///   - configuration: Where to listen and what to allow.
    ///   - logger: Gets one line per request at level info, and the reasons of failures.
    ///   - onListening: Called once, when connections are accepted.
    public init(
        source: any ConfigurationSource,
        configuration: ConfigServerConfiguration = ConfigServerConfiguration(),
        logger: Logger,
        onListening: @escaping @Sendable (ListeningAddress) async -> Void = { _ in }
    ) {
        self.init(
            source: source, follower: nil, webhooks: nil, administration: nil,
            configuration: configuration,
            logger: logger, onListening: onListening)
    }

    /// Puts a server together.
    init(
        source: any ConfigurationSource, follower: StoreFollower?, webhooks: WebhookService?,
        administration: Administration?, configuration: ConfigServerConfiguration,
        logger: Logger, onListening: @escaping @Sendable (ListeningAddress) async -> Void
    ) {
        self.source = source
        self.follower = follower
        self.webhooks = webhooks
        self.administration = administration
        self.hub = administration?.hub
        self.configuration = configuration
        self.logger = logger
        self.onListening = onListening
    }

    /// Listens and answers until a graceful shutdown, or until the task is cancelled.
    ///
    /// - Throws: A ``ListeningError`` when the address cannot be had, a ``TLSFilesError`` when the
    ///   certificate cannot be used.
    public func run() async throws {
        let server = try makeServer()
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                if let follower { group.addTask { await follower.run() } }
                if let webhooks { group.addTask { await webhooks.run() } }
                group.addTask { try await server.run() }
                // An error of the server leaves the group, which cancels the follower.
                for try await _ in group {}
            }
        } catch let error as CancellationError {
            await hub?.endAll()
            throw error
        } catch {
            throw ListeningError(
                hostname: configuration.hostname, port: configuration.port,
                underlyingError: error,
                isAddressInUse: (error as? IOError)?.errnoCode == EADDRINUSE)
        }
        // The server waits for requests only, and may end before each stream has heard of it.
        await hub?.endAll()
    }

    /// The routes of the server, for its table and its description.
    private var configurationRoutes: ConfigurationRoutes {
        ConfigurationRoutes(
            source: source, clientAccess: configuration.clientAccess, logger: logger)
    }

    /// What opens streams; nil without a store.
    private var streamRoutes: EventStreamRoutes? {
        hub.map {
            EventStreamRoutes(
                hub: $0, clientAccess: configuration.clientAccess,
                crossOriginAccess: configuration.crossOriginAccess,
                accessLog: AccessLog(logger: logger))
        }
    }

    /// All routes.
    var routes: [Route] {
        configurationRoutes.routes
            + (streamRoutes?.routes ?? [])
            + OperationsRoutes(
                source: source, metricsText: configuration.metricsText,
                metricsAccess: configuration.isLoopback ? .open : .administrator(.viewer),
                logger: logger
            ).routes
            + (administration?.routes ?? [])
            + (administration.map(openFeatureRoutes) ?? [])
            + consoleRoutes
    }

    /// The routes of HTTP 4.
    private func openFeatureRoutes(_ administration: Administration) -> [Route] {
        OFREPRoutes(
            library: administration.library, clientAccess: configuration.clientAccess,
            now: administration.now
        ).routes
    }

    /// The routes of the console; without a store there is nothing to do there.
    private var consoleRoutes: [Route] {
        guard let administration else { return [] }
        return SessionRoutes(access: sessionAccess, administration: administration).routes
            + ConsoleRoutes(pages: .builtIn).routes
    }

    /// Who administers; nobody without a store.
    private var sessionAccess: SessionAccess {
        SessionAccess(
            access: administration?.access ?? AdministratorAccess(environmentToken: nil),
            usesTLS: configuration.tls != nil)
    }

    /// Puts the parts together.
    private func makeServer() throws(TLSFilesError) -> Server<ConfigServerChannel> {
        let accessLog = AccessLog(logger: logger)
        let limits = configuration.limits
        let places = configuration.maximumConnections.map(ConnectionPlaces.init)
        let routes = routes
        let services = ConnectionServices(
            limits: limits, accessLog: accessLog,
            responder: ConfigServerResponder(
                routes: routes, access: sessionAccess,
                crossOriginAccess: configuration.crossOriginAccess, accessLog: accessLog,
                logger: logger),
            backlog: ClientBacklog(limit: limits.clientBacklogBytes), places: places,
            immediateResponder: ImmediateResponder(
                routes: configurationRoutes,
                crossOriginAccess: configuration.crossOriginAccess, accessLog: accessLog),
            streams: streamRoutes,
            rateLimiter: limits.requestsPerSecond.map(RateLimiter.init(requestsPerSecond:)),
            access: sessionAccess, hostAccess: HostAccess(configuration),
            routePatterns: routes.map(\.pattern), protectsMetrics: !configuration.isLoopback,
            signInLimiter: RateLimiter(requestsPerSecond: limits.signInsPerSecond),
            wrongTokenLimiter: RateLimiter(
                interval: .seconds(1) / limits.wrongTokensPerSecond,
                burst: 10 * limits.wrongTokensPerSecond))
        return Server(
            childChannelSetup: ConfigServerChannel(
                services: services, tls: try configuration.tls?.makeContext()),
            configuration: ServerConfiguration(
                address: .hostname(configuration.hostname, port: configuration.port),
                backlog: Self.backlog,
                availableConnectionsDelegate: places.map(ConnectionAcceptance.init)),
            onServerRunning: { [configuration, onListening] channel in
                let port = channel.localAddress?.port ?? configuration.port
                await onListening(
                    ListeningAddress(
                        hostname: configuration.hostname, port: port,
                        usesTLS: configuration.tls != nil))
            },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
    }
}
