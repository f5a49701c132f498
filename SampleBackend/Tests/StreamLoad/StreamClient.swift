import ActiveConfigEventStream
import ChunkedBodies
import NIOCore

/// A type that is one client: it listens, checks what it is told, and comes back when it is cut off.
///
/// It belongs to the thread of ``Crowd`` and is the handler of each of its connections in turn.
final class StreamClient: ChannelInboundHandler {
    /// Bytes of the stream.
    typealias InboundIn = ByteBuffer

    private enum Response {
        case head(ResponseHead)
        /// Without chunks, the body ends with the connection.
        case events(EventStreamParser, ChunkedBody?)
    }

    /// The most bytes of a line, and of the data of an event.
    private static let maximumBytes = 1 << 20

    /// The shortest and the longest wait after a connection that was lost or refused, in
    /// milliseconds.
    private static let backoff: (shortest: Int, longest: Int) = (100, 2_000)

    /// Its number; clients whose number ends in 0 are those of cohort 0, and so on.
    let number: Int

    /// What it belongs to.
    private let crowd: Crowd

    /// Whether the current connection has said hello.
    private(set) var isOpen = false

    /// When it last heard hello.
    private(set) var openTime = NIODeadline.distantPast

    /// The newest version that it has everything of: it sends it as `Last-Event-ID`.
    ///
    /// The version of a hello counts on the first connection only; later, what has changed since is
    /// in the events after the hello.
    private(set) var version: Int?

    /// When it was last told of a version.
    private(set) var arrival = NIODeadline.distantPast

    /// The updates since the last mark.
    var updates = 0

    /// Whether it heard a heartbeat since the last mark.
    var hasHeartbeat = false

    /// The connections in a row that did not come to a hello.
    private var failures = 0

    /// What the server said before it ended, in milliseconds.
    private var requestedDelay: Int?

    /// Where the current connection is in its response.
    private var response = Response.head(ResponseHead())

    /// Makes a client that is not connected.
    ///
    /// - Parameters:
    ///   - number: Its number.
    ///   - crowd: What it belongs to.
    init(number: Int, crowd: Crowd) {
        self.number = number
        self.crowd = crowd
    }

    /// The cohort that it says it is in, 0 to 9.
    var cohort: Int { number % 10 }

    /// Asks for the stream.
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

    /// Reads the head, then events.
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
            // The only reference, so that what was read is not copied when more is appended.
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

    /// Comes back.
    func channelInactive(context: ChannelHandlerContext) {
        if !isOpen { failures += 1 }
        crowd.lost(self, wasOpen: isOpen)
        isOpen = false
    }

    /// Closes a connection that broke.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Counts an attempt that was not even a connection.
    func connectFailed() { failures += 1 }

    /// How long it waits before it connects again: what the server said, else at random, the longer
    /// the more often it failed.
    var delay: TimeAmount {
        if let requestedDelay, failures == 0 { return .milliseconds(Int64(requestedDelay)) }
        let most = min(Self.backoff.longest, Self.backoff.shortest << min(failures + 1, 5))
        return .milliseconds(Int64.random(in: Int64(Self.backoff.shortest)...Int64(most)))
    }

    /// Takes an event, which is checked as far as that costs nothing.
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

    /// The first event.
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

    /// What has changed.
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
