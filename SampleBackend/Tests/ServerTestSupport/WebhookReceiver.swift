package import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import TemplateStore

/// A real HTTP server that records its requests, as a receiver of webhooks.
package final class WebhookReceiver: Sendable {
    /// Recorded request.
    package struct Request: Sendable {
        package let method: String
        /// Path with the query.
        package let target: String
        /// Header fields by lowercase name.
        package let fields: [String: String]
        package let body: Data
    }

    /// A response of the receiver.
    package enum Reply: Sendable {
        /// A status, further fields, and a body.
        case status(Int, fields: [String: String] = [:], body: String = "")
        /// Never responds.
        case silence
        /// A response that takes seconds, in pieces with short pauses.
        case drip
    }

    package let port: Int

    /// Requests in order of arrival, for one reader.
    package let requests: AsyncStream<Request>

    private let channel: any Channel

    private let count = Locked(0)

    /// Starts a server on `port`, where 0 stands for a free one.
    ///
    /// Sends `replies` in order, and repeats the last one; without any, it responds with 200.
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

    /// URL of a path on this server.
    package func url(_ path: String = "/hook", host: String = "127.0.0.1") -> String {
        "http://\(host):\(port)\(path)"
    }

    /// Number of requests so far.
    package var requestCount: Int { count.withLock { $0 } }

    /// Stops accepting connections.
    package func close() async throws { try await channel.close() }

    /// Collects a request and answers it.
    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let reply: (Request) -> Reply
        private var head: HTTPRequestHead?
        private var body = Data()

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

        private func answer(_ reply: Reply, context: ChannelHandlerContext) {
            if case .drip = reply { drip(context: context) }
            guard case .status(let code, let fields, let body) = reply else { return }
            var headers = HTTPHeaders(fields.map { ($0.key, $0.value) })
            headers.add(name: "Content-Length", value: "\(body.utf8.count)")
            let head = HTTPResponseHead(
                version: .http1_1, status: HTTPResponseStatus(statusCode: code), headers: headers)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(
                wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }

        /// Responds with 200 after many interim responses.
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
            // Below the encoder, which accepts only one response per request.
            encoder.writeAndFlush(
                NIOAny(IOData.byteBuffer(ByteBuffer(string: answer))), promise: nil)
            // deadline: tests ask for a slow response
            encoder.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(20)) {
                self.drip(answers.dropFirst(), below: encoder)
            }
        }
    }
}
