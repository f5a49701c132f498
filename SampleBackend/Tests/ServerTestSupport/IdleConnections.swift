import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// Many connections that send an initial text, then stay idle; optionally they do not read.
package struct IdleConnections: Sendable {
    private let channels: [any Channel]

    /// Closes the sending side of every other connection.
    package func closeHalf() async {
        for channel in channels.enumerated().filter({ $0.offset.isMultiple(of: 2) }) {
            // The pending bytes are sent before this; the result does not matter.
            channel.element.close(mode: .output, promise: nil)
        }
    }

    /// Opens a connection for each of `requests`, sends its text, and closes all after `body`.
    package static func open(
        _ requests: [String], port: Int, reads: Bool = true,
        _ body: (IdleConnections) async throws -> Void
    ) async throws {
        var channels: [any Channel] = []
        for request in requests {
            var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            if !reads {
                bootstrap =
                    bootstrap
                    .channelOption(.autoRead, value: false)
                    .channelOption(.socketOption(.so_rcvbuf), value: 4_096)
            }
            let channel = try await bootstrap.connect(host: "127.0.0.1", port: port).get()
            channel.writeAndFlush(ByteBuffer(string: request), promise: nil)
            channels.append(channel)
        }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(IdleConnections(channels: channels)))
        } catch {
            result = .failure(error)
        }
        for channel in channels { try? await channel.close() }
        try result.get()
    }

    /// Opens encrypted connections that send and read nothing after the handshake, and closes them
    /// after `body`.
    package static func openSecurely(
        _ count: Int, port: Int, _ body: () async throws -> Void
    ) async throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        let context = try NIOSSLContext(configuration: configuration)
        var channels: [any Channel] = []
        for _ in 0..<count {
            let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
            let isReady = eventLoop.makePromise(of: Void.self)
            let channel = try await ClientBootstrap(group: eventLoop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandlers(
                            NIOSSLClientHandler(context: context, serverHostname: nil),
                            Handshake(isReady))
                    }
                }
                .connect(host: "127.0.0.1", port: port).get()
            try await isReady.futureResult.get()
            channels.append(channel)
        }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        // Does not wait for the end of TLS, which the server may never confirm.
        for channel in channels { channel.close(promise: nil) }
        try result.get()
    }

    /// Stops reading after the handshake.
    private final class Handshake: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let isReady: EventLoopPromise<Void>

        init(_ isReady: EventLoopPromise<Void>) {
            self.isReady = isReady
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            guard case TLSUserEvent.handshakeCompleted = event else { return }
            _ = try? context.channel.syncOptions?.setOption(.autoRead, value: false)
            isReady.succeed()
        }

        func channelInactive(context: ChannelHandlerContext) {
            isReady.fail(ChannelError.eof)
        }
    }
}
