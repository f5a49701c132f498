import Foundation
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
public import ServiceLifecycle

/// A type that serves configurations over HTTP until it is told to stop.
///
/// ```swift
/// let server = ConfigServer(source: SampleConfigurationSource(), logger: logger) { address in
///     print("listening on \(address)")
/// }
/// let group = ServiceGroup(
///     services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
/// try await group.run()
/// ```
///
/// A graceful shutdown takes no new connection, closes the idle ones, lets requests in flight
/// finish, and ends after ``ServerLimits/shutdownTime`` at the latest.
public struct ConfigServer: Service {
    /// Where the documents come from.
    private let source: any ConfigurationSource

    /// Where to listen and what to allow.
    private let configuration: ConfigServerConfiguration

    /// Where requests and faults are written down.
    private let logger: Logger

    /// What is called once the server listens.
    private let onListening: @Sendable (ListeningAddress) async -> Void

    /// Makes a server; it listens when it is run.
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
        self.source = source
        self.configuration = configuration
        self.logger = logger
        self.onListening = onListening
    }

    /// Listens and answers until a graceful shutdown, or until the task is cancelled.
    ///
    /// - Throws: A ``ListeningError`` when the address cannot be had.
    public func run() async throws {
        let accessLog = AccessLog(logger: logger)
        let routes =
            ConfigurationRoutes(source: source, logger: logger).routes
            + HealthRoutes(source: source, logger: logger).routes
        let limits = configuration.limits
        let application = Application(
            responder: ConfigServerResponder(
                routes: routes, accessLog: accessLog, logger: logger),
            server: HTTPServerBuilder { responder in
                ConfigServerChannel(responder: responder, limits: limits, accessLog: accessLog)
            },
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.hostname, port: configuration.port),
                backlog: 1024),
            onServerRunning: { [configuration, onListening] channel in
                let port = channel.localAddress?.port ?? configuration.port
                await onListening(
                    ListeningAddress(hostname: configuration.hostname, port: port))
            },
            logger: logger)
        do {
            try await application.run()
        } catch let error as CancellationError {
            throw error
        } catch {
            throw ListeningError(
                hostname: configuration.hostname, port: configuration.port,
                underlyingError: error,
                isAddressInUse: (error as? IOError)?.errnoCode == EADDRINUSE)
        }
    }
}
