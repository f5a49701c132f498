package import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOExtras
import NIOPosix
import ServiceLifecycle

/// Accepts connections until a graceful shutdown.
///
/// A shutdown stops accepting connections, closes idle ones, and lets requests in flight finish.
package struct HTTPListener: Sendable {
    /// Length of the kernel's accept queue; the system may allow less.
    ///
    /// It is long because all clients reconnect at once after an outage.
    private static let backlog: Int32 = 4_096

    private let hostname: String
    private let port: Int
    private let usesTLS: Bool
    private let setup: ConnectionSetup
    private let logger: Logger

    /// The certificate must have been read.
    package init(
        hostname: String, port: Int, tls: TLSCertificate?, services: ConnectionServices,
        logger: Logger
    ) {
        self.hostname = hostname
        self.port = port
        usesTLS = tls != nil
        setup = ConnectionSetup(services: services, tls: tls)
        self.logger = logger
    }

    /// Listens until a graceful shutdown or a cancellation; returns when all connections are
    /// closed.
    ///
    /// - Parameter onListening: Called once, when the server has started to accept connections.
    /// - Throws: A ``ListeningError`` when the address cannot be bound.
    package func run(onListening: @Sendable (ListeningAddress) async -> Void) async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let quiescing = ServerQuiescingHelper(group: group)
        let channel = try await bind(quiescing, group: group)
        let shutdown = NIOLockedValueBox<EventLoopFuture<Void>?>(nil)
        @Sendable func shutDown() {
            let closed = shutdown.withLockedValue { future -> EventLoopPromise<Void>? in
                guard future == nil else { return nil }
                let promise = channel.eventLoop.makePromise(of: Void.self)
                future = promise.futureResult
                return promise
            }
            if let closed { quiescing.initiateShutdown(promise: closed) }
        }
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                let port = channel.localAddress?.port ?? port
                await onListening(
                    ListeningAddress(hostname: hostname, port: port, usesTLS: usesTLS))
                try? await channel.closeFuture.get()
                try? await shutdown.withLockedValue { $0 }?.get()
            } onGracefulShutdown: {
                shutDown()
            }
        } onCancel: {
            shutDown()
        }
    }

    private func bind(
        _ quiescing: ServerQuiescingHelper, group: MultiThreadedEventLoopGroup
    ) async throws -> any Channel {
        let places = setup.services.places
        let logger = logger
        return try await Self.bind(hostname: hostname, port: port) {
            ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: Self.backlog)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandlers(
                            AcceptHandler(places: places, logger: logger),
                            quiescing.makeServerChannelHandler(channel: channel))
                    }
                }
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelInitializer(setup.setUp)
        }
    }

    /// Binds an address while `body`, which tests need, has its port.
    ///
    /// - Throws: A ``ListeningError`` when the address cannot be bound.
    package static func checkAddress(
        hostname: String, port: Int, while body: (_ port: Int) async throws -> Void = { _ in }
    ) async throws {
        let channel = try await bind(hostname: hostname, port: port) {
            ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                // A client that connects is reset when the address is released.
                .serverChannelOption(.autoRead, value: false)
        }
        try await body(channel.localAddress?.port ?? port)
        try await channel.close()
    }

    private static func bind(
        hostname: String, port: Int, _ bootstrap: () -> ServerBootstrap
    ) async throws -> any Channel {
        do {
            return try await bootstrap().bind(host: hostname, port: port).get()
        } catch {
            throw ListeningError(
                hostname: hostname, port: port, underlyingError: error,
                isAddressInUse: (error as? IOError)?.errnoCode == EADDRINUSE)
        }
    }
}
