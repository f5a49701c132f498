import ConfigServer
import HTTPServing
import NIOCore
import NIOEmbedded
import NIOHTTP1

/// A connection in memory that answers requests.
protocol MeasuredConnection {
    var channel: EmbeddedChannel { get }
}

extension MeasuredConnection {
    /// Passes a request in, and drops its answer.
    func answer(_ request: ByteBuffer) throws {
        try channel.writeInbound(request)
        var bytes = 0
        while let part = try channel.readOutbound(as: IOData.self) { bytes += part.readableBytes }
        guard bytes > 0 else { throw NoAnswer() }
    }
}

struct NoAnswer: Error {}

/// A connection of the server.
struct ServedConnection: MeasuredConnection {
    let channel = EmbeddedChannel()

    init(_ server: ConfigServer) throws {
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try ConnectionSetup(services: server.services, tls: nil).setUp(channel).wait()
    }
}

/// SwiftNIO's HTTP/1.1 pipeline with a handler that reads neither the path nor the fields.
struct BareConnection: MeasuredConnection {
    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let document: ByteBuffer
        private let head: HTTPResponseHead

        init(bytes: Int) {
            document = ByteBuffer(repeating: UInt8(ascii: "a"), count: bytes)
            head = HTTPResponseHead(
                version: .http1_1, status: .ok,
                headers: ["Content-Type": "application/json", "Content-Length": "\(bytes)"])
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .end = unwrapInboundIn(data) else { return }
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(document))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }

    let channel = EmbeddedChannel()

    init(bytes: Int) throws {
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try channel.pipeline.syncOperations.configureHTTPServerPipeline()
        try channel.pipeline.syncOperations.addHandler(Handler(bytes: bytes))
    }
}
