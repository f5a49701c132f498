import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOExtras
import NIOPosix
import NIOSSL
import ServiceLifecycle

/// Accepts connections until a graceful shutdown.
///
/// A shutdown accepts no new connections, closes idle ones, and lets requests in flight finish.
package struct HTTPListener: Sendable {
    /// Maximum connections in the kernel's accept queue; the system may allow fewer.
    ///
    /// After an outage all clients reconnect at once.
    private static let backlog: Int32 = 4_096

    private let hostname: String
    private let port: Int
    private let usesTLS: Bool
    private let setup: ConnectionSetup

    /// - Throws: ``TLSFilesError`` when the certificate or its key cannot be used.
    package init(
        hostname: String, port: Int, tls: TLSFiles?, services: ConnectionServices
    ) throws(TLSFilesError) {
        self.hostname = hostname
        self.port = port
        usesTLS = tls != nil
        setup = ConnectionSetup(services: services, tls: try tls?.makeContext())
    }

    /// Listens until a graceful shutdown or a cancellation; returns when all connections are
    /// closed.
    ///
    /// - Parameter onListening: Called once, when the server accepts connections.
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
        do {
            return try await ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: Self.backlog)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        // When file descriptors run out, it waits a second before the next attempt.
                        try pipeline.addHandler(AcceptBackoffHandler())
                        if let places { try pipeline.addHandler(AcceptHandler(places)) }
                        try pipeline.addHandler(
                            quiescing.makeServerChannelHandler(channel: channel))
                    }
                }
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelInitializer(setup.setUp)
                .bind(host: hostname, port: port).get()
        } catch {
            throw ListeningError(
                hostname: hostname, port: port, underlyingError: error,
                isAddressInUse: (error as? IOError)?.errnoCode == EADDRINUSE)
        }
    }
}

/// Accepts connections while there are places for them; part of the listening socket's pipeline.
private final class AcceptHandler: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never
    typealias OutboundOut = Never

    private let places: ConnectionPlaces
    private var count = 0
    private var isReadHeld = false

    init(_ places: ConnectionPlaces) {
        self.places = places
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        // Connections may close after the listening socket.
        isReadHeld = false
    }

    func read(context: ChannelHandlerContext) {
        isReadHeld = !places.hasRoom(beside: count)
        if !isReadHeld { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        count += 1
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        unwrapInboundIn(data).closeFuture.hop(to: context.eventLoop).whenComplete { _ in
            let (handler, context) = bound.value
            handler.count -= 1
            if handler.isReadHeld { handler.read(context: context) }
        }
        context.fireChannelRead(data)
    }
}
