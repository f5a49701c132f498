import ActiveConfigEventStream
import ChunkedBodies
import NIOCore

/// A client that listens to a stream, checks its events, and reconnects when it is disconnected.
///
/// Runs on the event loop of its ``Crowd``, and is the handler of each of its connections in turn.
final class StreamClient: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private enum Response {
        case head(ResponseHead)
        /// Without chunks, the body ends with the connection.
        case events(EventStreamParser, ChunkedBody?)
    }

    /// Maximum number of bytes of a line, and of the data of an event.
    private static let maximumBytes = 1 << 20

    /// The shortest and the longest delay after a lost or refused connection, in milliseconds.
    private static let backoff: (shortest: Int, longest: Int) = (100, 2_000)

    /// Clients whose number ends in 0 belong to cohort 0, and so on.
    let number: Int

    private let crowd: Crowd

    /// True once the current connection has received a hello.
    private(set) var isOpen = false

    /// The time of the last hello.
    private(set) var openTime = NIODeadline.distantPast

    /// The newest version that the client has completely received, which it sends as
    /// `Last-Event-ID`.
    ///
    /// The version of a hello counts on the first connection only; later, the events after the
    /// hello contain the changes.
    private(set) var version: Int?

    /// The time at which the client received its last version.
    private(set) var arrival = NIODeadline.distantPast

    /// The number of updates since the last mark.
    var updates = 0

    /// True if the client received a heartbeat since the last mark.
    var hasHeartbeat = false

    /// The number of consecutive connections without a hello.
    private var failures = 0

    /// The reconnection delay that the server requested, in milliseconds.
    private var requestedDelay: Int?

    /// The state of the current connection's response.
    private var response = Response.head(ResponseHead())

    /// Creates a client that is not connected.
    ///
    /// - Parameters:
    ///   - number: The number of the client.
    ///   - crowd: The crowd that the client belongs to.
    init(number: Int, crowd: Crowd) {
        self.number = number
        self.crowd = crowd
    }

    /// The cohort that the client sends, 0 to 9.
    var cohort: Int { number % 10 }

    /// Requests the stream.
    func channelActive(context: ChannelHandlerContext) {
        response = .head(ResponseHead())
        requestedDelay = nil
        var request = ByteBuffer()
        request.writeString(
            "GET /activeconfig/user/user-\(number)/events?app.version=2.3.1&device.os=ios"
                + "&device.country=JP&device.language=ja&signal.plan=gold&signal.level=42"
                + "&signal.city=Tokyo&signal.cohort=\(cohort) HTTP/1.1\r\n"
                + "Host: localhost\r\nAccept: text/event-stream\r\n")
        if let version { request.writeString("Last-Event-ID: \(version)\r\n") }
        request.writeString("\r\n")
        context.writeAndFlush(NIOAny(request), promise: nil)
    }

    /// Parses the head, then events.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        do {
            try read(unwrapInboundIn(data))
            if isEnded { context.close(promise: nil) }
        } catch ResponseHead.Failure.status(let status) {
            crowd.refused(status: status)
            context.close(promise: nil)
        } catch {
            crowd.fault(self, "\(error)")
            context.close(promise: nil)
        }
    }

    /// True after the last chunk: a proxy keeps the connection open then.
    private var isEnded: Bool {
        if case .events(_, let body?) = response { body.isComplete } else { false }
    }

    private func read(_ bytes: ByteBuffer) throws {
        switch response {
        case .head(var head):
            let rest = try head.read(bytes)
            response = .head(head)
            guard let rest else { return }
            response = .events(
                EventStreamParser(maximumBytes: Self.maximumBytes),
                head.isChunked ? ChunkedBody() : nil)
            try read(rest)
        case .events(var parser, var body):
            // Drops the second reference, so that appending does not copy the buffer.
            response = .head(ResponseHead())
            defer { response = .events(parser, body) }
            parser.append(try (body?.read(bytes) ?? bytes).readableBytesView)
            while let element = try parser.next() {
                switch element {
                case .event(let event): take(StreamEvent(event))
                case .comment: takeHeartbeat()
                case .retry: break
                }
            }
        }
    }

    /// Reconnects.
    func channelInactive(context: ChannelHandlerContext) {
        if !isOpen { failures += 1 }
        crowd.lost(self, wasOpen: isOpen)
        isOpen = false
    }

    /// Closes a broken connection.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Counts a failed connection attempt.
    func connectFailed() { failures += 1 }

    /// The delay before the client reconnects: the requested one, or a random one that grows with
    /// the number of failures.
    var delay: TimeAmount {
        if let requestedDelay, failures == 0 { return .milliseconds(Int64(requestedDelay)) }
        let most = min(Self.backoff.longest, Self.backoff.shortest << min(failures + 1, 5))
        return .milliseconds(Int64.random(in: Int64(Self.backoff.shortest)...Int64(most)))
    }

    /// Handles an event, with the checks that cost nothing.
    private func take(_ event: StreamEvent) {
        guard isOpen || event.name == .hello else {
            crowd.fault(self, "\(event.name) came before hello")
            return
        }
        switch event.name {
        case .hello: takeHello(event)
        case .update, .reset: takeChange(event)
        case .retry:
            crowd.goodbye()
            requestedDelay = Payload.delay(event.data)
            if requestedDelay == nil { crowd.fault(self, "retry without after_ms") }
        case .unknown: crowd.fault(self, "an event that PROTOCOL 2 does not have")
        }
    }

    private func takeHeartbeat() {
        guard isOpen else { return crowd.fault(self, "a heartbeat came before hello") }
        hasHeartbeat = true
    }

    /// Handles the first event.
    private func takeHello(_ event: StreamEvent) {
        guard !isOpen else { return crowd.fault(self, "a second hello") }
        guard let id = event.id else { return crowd.fault(self, "hello without an ID") }
        if id < version ?? id {
            crowd.fault(self, "hello \(id) after version \(version ?? 0)")
        }
        let resumedVersion = version
        if version == nil { version = id }
        isOpen = true
        failures = 0
        openTime = .now()
        crowd.opened()
        crowd.checkLater(event, of: self, resumedVersion: resumedVersion)
    }

    /// Handles a change.
    private func takeChange(_ event: StreamEvent) {
        arrival = .now()
        guard let id = event.id, let version, id > version else {
            crowd.fault(self, "\(event.name) \(event.id ?? 0) after version \(version ?? 0)")
            return
        }
        self.version = id
        if event.name == .update { updates += 1 } else { crowd.reset() }
        crowd.checkLater(event, of: self)
    }
}

@available(*, unavailable)
extension StreamClient: Sendable {}
