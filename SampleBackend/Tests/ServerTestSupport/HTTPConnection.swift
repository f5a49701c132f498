import Foundation
package import NIOCore
import NIOPosix

/// A plain socket to a server.
///
/// Sends exactly the given bytes, so that tests can send invalid requests, and paths are not
/// normalized.
package final class HTTPConnection {
    /// Failure on the client's side.
    package enum Failure: Error {
        /// The server closed the connection before the response was complete; with the text up to
        /// then.
        case closedEarly(String)
        /// The server sent something other than an HTTP response.
        case noResponse(String)
    }

    private let channel: any Channel
    private var incoming: AsyncStream<ByteBuffer>.Iterator
    private var buffer: [UInt8] = []
    private var isClosed = false

    private init(channel: any Channel, incoming: AsyncStream<ByteBuffer>) {
        self.channel = channel
        self.incoming = incoming.makeAsyncIterator()
    }

    /// Connects to a server on this machine while `body` uses the connection, and closes it
    /// afterwards; without `reads`, nothing is read before ``startReading()``.
    package static func open<Result>(
        port: Int, reads: Bool = true, _ body: (HTTPConnection) async throws -> Result
    ) async throws -> Result {
        let (stream, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        if !reads {
            bootstrap = bootstrap.channelOption(.autoRead, value: false)
                .channelOption(.socketOption(.so_rcvbuf), value: 4_096)
        }
        let channel =
            try await bootstrap
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Receiver(continuation))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        let connection = HTTPConnection(channel: channel, incoming: stream)
        do {
            let result = try await body(connection)
            try? await channel.close()
            return result
        } catch {
            try? await channel.close()
            throw error
        }
    }

    /// Sends one request on a connection of its own, and returns the response.
    package static func answer(
        port: Int, method: String = "GET", target: String, fields: [String] = [], body: String = ""
    ) async throws -> HTTPAnswer {
        try await open(port: port) { connection in
            connection.send(method: method, target: target, fields: fields, body: body)
            return try await connection.receive(isHead: method == "HEAD")
        }
    }

    /// Sends a request with a `Host` field, and with a `Content-Length` if there is a body.
    package func send(
        method: String = "GET", target: String, fields: [String] = [], body: String = ""
    ) {
        let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        let lines =
            ["\(method) \(target) HTTP/1.1", "Host: localhost"] + fields + length + ["", ""]
        send(lines.joined(separator: "\r\n") + body)
    }

    /// Sends a text verbatim.
    package func send(_ text: String) {
        send(Array(text.utf8))
    }

    /// Sends bytes verbatim; a connection that the server has closed is not an error.
    package func send(_ bytes: [UInt8]) {
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    }

    /// Starts reading, with a larger receive buffer: with the small one, a response of 700 bytes
    /// costs a wakeup of both sides, which takes minutes for thousands on a busy machine.
    package func startReading() async throws {
        try await channel.setOption(.socketOption(.so_rcvbuf), value: 1 << 20).get()
        try await channel.setOption(.autoRead, value: true).get()
    }

    package func finishSending() async throws {
        try await channel.close(mode: .output)
    }

    /// Receives the next response, including interim ones (1xx); with `isHead` it has no body,
    /// whatever its header fields say.
    package func receive(isHead: Bool = false) async throws -> HTTPAnswer {
        let head = try await receive(through: "\r\n\r\n")
        var lines = head.split(separator: "\r\n")
        let statusLine = lines.removeFirst().split(separator: " ")
        guard statusLine.count > 1, statusLine[0] == "HTTP/1.1", let status = Int(statusLine[1])
        else { throw Failure.noResponse(head) }
        var fields: [String: String] = [:]
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[parts[0].lowercased()] = parts.last?.trimmingCharacters(in: .whitespaces) ?? ""
        }
        let length = isHead ? 0 : Int(fields["content-length"] ?? "0") ?? 0
        while buffer.count < length {
            if await !readMore() { throw Failure.closedEarly(text) }
        }
        let body = Data(buffer.prefix(length))
        buffer.removeFirst(length)
        return HTTPAnswer(status: status, fields: fields, body: body)
    }

    /// Receives text up to and including `end`; throws ``Failure`` if the server closes the
    /// connection before.
    package func receive(through end: String) async throws -> String {
        while true {
            if let length = buffer.firstRange(of: Array(end.utf8))?.upperBound {
                defer { buffer.removeFirst(length) }
                return String(decoding: buffer.prefix(length), as: UTF8.self)
            }
            if await !readMore() { throw Failure.closedEarly(text) }
        }
    }

    /// Received bytes that were not returned yet, or else the next ones; nil once the server has
    /// closed the connection.
    package func receiveBytes() async -> ByteBuffer? {
        if buffer.isEmpty, await !readMore() { return nil }
        defer { buffer = [] }
        return ByteBuffer(bytes: buffer)
    }

    /// The status of the next response; nil if the server closes the connection instead.
    package func receiveStatus(isHead: Bool = false) async -> Int? {
        try? await receive(isHead: isHead).status
    }

    /// Waits until the server has closed its sending side, and returns the remaining text.
    package func receiveEnd() async -> String {
        while await readMore() {}
        return text
    }

    /// Received text that belongs to no response returned so far.
    private var text: String { String(decoding: buffer, as: UTF8.self) }

    private func readMore() async -> Bool {
        guard !isClosed, let bytes = await incoming.next(isolation: #isolation) else {
            isClosed = true
            return false
        }
        buffer.append(contentsOf: bytes.readableBytesView)
        return true
    }

    /// Passes on the received bytes, and the end of the connection.
    private final class Receiver: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let continuation: AsyncStream<ByteBuffer>.Continuation

        init(_ continuation: AsyncStream<ByteBuffer>.Continuation) {
            self.continuation = continuation
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            continuation.yield(unwrapInboundIn(data))
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case ChannelEvent.inputClosed = event { continuation.finish() }
            context.fireUserInboundEventTriggered(event)
        }

        func channelInactive(context: ChannelHandlerContext) {
            continuation.finish()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            continuation.finish()
            context.close(promise: nil)
        }
    }
}

@available(*, unavailable)
extension HTTPConnection: Sendable {}
