import ArgumentParser
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

    private init(_ document: ByteBuffer) {
        self.document = document
        head = HTTPResponseHead(
            version: .http1_1, status: .ok,
            headers: [
                "Content-Type": "application/json", "Content-Length": "\(document.readableBytes)",
            ])
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(document))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    static func setUp(_ channel: any Channel, _ document: ByteBuffer) throws {
        try channel.pipeline.syncOperations.configureHTTPServerPipeline()
        try channel.pipeline.syncOperations.addHandler(BareHandler(document))
    }
}

/// Serves one document with ``BareHandler``.
struct Bare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves the bytes of a file with a bare SwiftNIO handler until it is killed.",
        discussion: "Prints \"listening on\" and its address.")

    @Argument(help: "The file.") var document: String

    func run() async throws {
        let document = ByteBuffer(bytes: try Data(contentsOf: URL(filePath: document)))
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1_024)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try BareHandler.setUp(channel, document) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = listener.localAddress?.port ?? 0
        FileHandle.standardOutput.write(Data("listening on http://127.0.0.1:\(port)\n".utf8))
        try await listener.closeFuture.get()
    }
}
