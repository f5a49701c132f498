package import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import TemplateStore

/// A type that is a real HTTP server on a free port which writes down what it gets, as the receiver
/// of webhooks.
package final class WebhookReceiver: Sendable {
    /// A request as it came.
    package struct Request: Sendable {
        /// The method.
        package let method: String
        /// The path and the query.
        package let target: String
        /// The header fields, by lowercase name.
        package let fields: [String: String]
        /// The body.
        package let body: Data
    }

    /// What to answer.
    package enum Reply: Sendable {
        /// A status, and further fields.
        case status(Int, fields: [String: String] = [:])
        /// Nothing, for ever.
        case silence
        /// An answer that takes seconds, in pieces that come without a pause to speak of.
        case drip
    }

    /// The port.
    package let port: Int

    /// The requests, as they come; for one reader.
    package let requests: AsyncStream<Request>

    /// The server.
    private let channel: any Channel

    /// How many requests came.
    private let count = Locked(0)

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - port: The port; 0 takes a free one.
    ///   - replies: What to answer to the first request, the second and so on; the last one counts
    ///     for all that follow.
    /// - Throws: What listening throws.
    package init(port: Int = 0, _ replies: Reply...) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Request.self)
        let count = self.count
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(
                        Handler { request in
                            let number = count.withLock { count in
                                count += 1
                                return count
                            }
                            continuation.yield(request)
                            return replies.isEmpty
                                ? .status(200) : replies[min(number, replies.count) - 1]
                        })
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        self.port = channel.localAddress?.port ?? 0
        requests = stream
    }

    /// The address of a path on it.
    package func url(_ path: String = "/hook", host: String = "127.0.0.1") -> String {
        "http://\(host):\(port)\(path)"
    }

    /// How many requests came until now.
    package var requestCount: Int { count.withLock { $0 } }

    /// Takes no more connections.
    package func close() async throws { try await channel.close() }

    /// A type that gathers a request and answers it.
    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let reply: (Request) -> Reply
        private var head: HTTPRequestHead?
        private var body = Data()

        /// Makes a handler.
        init(_ reply: @escaping (Request) -> Reply) { self.reply = reply }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): self.head = head
            case .body(let bytes): body.append(contentsOf: bytes.readableBytesView)
            case .end:
                guard let head else { return }
                let fields = head.headers.map { ($0.name.lowercased(), $0.value) }
                answer(
                    reply(
                        Request(
                            method: head.method.rawValue, target: head.uri,
                            fields: Dictionary(fields, uniquingKeysWith: { $1 }), body: body)),
                    context: context)
                body = Data()
            }
        }

        /// Writes an answer.
        private func answer(_ reply: Reply, context: ChannelHandlerContext) {
            if case .drip = reply { drip(context: context) }
            guard case .status(let code, let fields) = reply else { return }
            var headers = HTTPHeaders(fields.map { ($0.key, $0.value) })
            headers.add(name: "Content-Length", value: "0")
            let head = HTTPResponseHead(
                version: .http1_1, status: HTTPResponseStatus(statusCode: code), headers: headers)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }

        /// Answers with 200 in the end, after many interim answers.
        private func drip(context: ChannelHandlerContext) {
            guard
                let encoder = try? context.pipeline.syncOperations.context(
                    handlerType: HTTPResponseEncoder.self)
            else { return }
            let answers =
                Array(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 200)
                + ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"]
            drip(answers[...], below: encoder)
        }

        private func drip(_ answers: ArraySlice<String>, below encoder: ChannelHandlerContext) {
            guard encoder.channel.isActive, let answer = answers.first else { return }
            // Below the encoder, which writes one answer to a request.
            encoder.writeAndFlush(
                NIOAny(IOData.byteBuffer(ByteBuffer(string: answer))), promise: nil)
            encoder.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(20)) {
                self.drip(answers.dropFirst(), below: encoder)
            }
        }
    }
}
