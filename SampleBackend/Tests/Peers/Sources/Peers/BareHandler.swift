import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// SwiftNIO's HTTP/1.1 pipeline with a handler that reads neither the path nor the fields.
final class BareHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let document: ByteBuffer
    private let head: HTTPResponseHead

    init(_ document: Data) {
        self.document = ByteBuffer(bytes: document)
        head = HTTPResponseHead(
            version: .http1_1, status: .ok,
            headers: [
                "Content-Type": "application/json", "Content-Length": "\(document.count)",
            ])
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(document))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    static func serve(_ document: Data) async throws {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1_024)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(BareHandler(document))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        Peers.announce(port: listener.localAddress?.port ?? 0)
        try await listener.closeFuture.get()
    }
}
