import Foundation
import HTTPServing
import HTTPTypes
import NIOCore
import NIOHTTP1
import Rendering
import Targeting
import Templates

/// The stream of one client, as the only remaining handler of its connection.
///
/// It belongs to the event loop of its connection. Unsent events count towards a limit of the
/// stream, and towards the backlog of all connections; a client that does not keep up is cut off,
/// and resumes with `Last-Event-ID`.
final class EventStream: StreamHandler {
    /// Input after the request, which is ignored.
    typealias InboundIn = Any

    let request: StreamRequest

    /// The list that contains it while it is open.
    private let project: ProjectStreams

    private let hub: RealtimeHub
    private let backlog: ClientBacklog

    /// True when TLS keeps an encrypted copy of each event per connection.
    private let isSecure: Bool

    /// The reserved place; released when the stream closes.
    private var streamPlace: StreamPlace?

    /// The time when the stream has to end; nil means never.
    let endDeadline: NIODeadline?

    /// True when the stream closes once everything is sent.
    private var isEnding = false

    /// The heartbeat slot of ``StreamThread`` in which it is kept alive.
    let heartbeatSlot: Int

    /// Index in the list of ``project``.
    var place = 0

    /// The last pass of ``project`` that reached the stream.
    var pass = 0

    /// The basis of the client's document in that pass.
    var basis: DocumentBasis

    /// The newest version whose events the socket has accepted.
    private(set) var deliveredVersion: Int

    /// The newest version whose events are written, or that does not change the client's document.
    private var writtenVersion: Int

    /// The connection; nil once it is closed.
    private var context: ChannelHandlerContext?

    /// Bytes that the socket has not accepted.
    private var queuedBytes = 0

    /// The start of the wait for the client, restarted whenever the socket accepts an event.
    private var queuedSince = NIODeadline.now()

    /// Creates a stream that has no connection yet.
    init(
        _ request: StreamRequest, place: StreamPlace, project: ProjectStreams, hub: RealtimeHub,
        connection: StreamConnection, end: NIODeadline?, heartbeatSlot: Int
    ) {
        self.request = request
        streamPlace = place
        self.project = project
        self.hub = hub
        backlog = connection.backlog
        isSecure = connection.isSecure
        endDeadline = end
        self.heartbeatSlot = heartbeatSlot
        basis = project.published.basis(for: request.targetingContext)
        deliveredVersion = project.published.compiled.version.number
        writtenVersion = deliveredVersion
    }

    var isClosed: Bool { context == nil }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    /// Ignores input.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        leave()
    }

    /// Handles a client that disconnected, and a graceful shutdown.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed: context.close(promise: nil)
        case is ChannelShouldQuiesceEvent: endForShutdown()
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The removed decoder reports bytes after the request.
        if error is HTTPParserError || error is ByteToMessageDecoderError { return }
        context.close(promise: nil)
    }

    /// Reads from the socket, to notice that the client disconnects.
    func read() {
        context?.read()
    }

    /// Sends the response head and the `hello` event, registers for changes, and sends the changes
    /// that the client missed.
    func begin(headerFields: HTTPFields) {
        var head = ByteBuffer()
        // Without a length and chunks, the end of the connection is the end of the stream.
        head.writeString("HTTP/1.1 200 OK\r\n")
        for field in headerFields { head.writeString("\(field.name.rawName): \(field.value)\r\n") }
        head.writeString("\r\n")
        head.writeImmutableBuffer(StreamEvents.hello(version: deliveredVersion))
        guard let context else { return }
        // Not ``send(_:publication:)``: even a stream that has expired by now begins with a head.
        write(head, publication: nil, context: context)
        project.add(self)
        project.catchUp(self)
    }

    /// Sends events; `publication` is the time of their version's publication, to measure the
    /// delivery time.
    func send(_ bytes: ByteBuffer, publication: Date? = nil) {
        guard let context, !isEnding else { return }
        if let endDeadline, endDeadline <= .now() {
            end(after: hub.reconnectDelay())
            return
        }
        write(bytes, publication: publication, context: context)
    }

    /// Writes events, which count towards the backlog while they are unsent.
    private func write(
        _ bytes: ByteBuffer, publication: Date?, context: ChannelHandlerContext
    ) {
        let count = bytes.readableBytes
        guard queuedBytes == 0 || queuedBytes + count <= hub.limits.streamQueueBytes else {
            cutOff()
            return
        }
        if queuedBytes == 0 { queuedSince = .now() }
        queuedBytes += count
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenSuccess {
            self.wasSent(count)
            if let publication { self.hub.metrics.recordDelivery(since: publication) }
        }
        context.writeAndFlush(NIOAny(IOData.byteBuffer(bytes)), promise: sent)
        guard queuedBytes > 0, self.context != nil else { return }
        let backlog = backlog
        let ticket = backlog.hold(
            isSecure ? count : 0, sharedBuffer: isSecure ? nil : bytes, for: context.channel)
        sent.futureResult.assumeIsolated().whenComplete { _ in backlog.release(ticket) }
    }

    /// Called when the socket has accepted events.
    private func wasSent(_ count: Int) {
        queuedBytes -= count
        queuedSince = .now()
        guard queuedBytes == 0 else { return }
        deliveredVersion = writtenVersion
        if isEnding { close() }
    }

    /// Records that everything up to a version is written; call it after ``send(_:publication:)``.
    func advance(to version: Int) {
        writtenVersion = version
        if queuedBytes == 0 { deliveredVersion = version }
    }

    /// Sends a heartbeat, or cuts off a client that has not read for too long.
    func beat() {
        guard queuedBytes > 0 else {
            send(ServerSentEvent.heartbeat)
            return
        }
        if queuedSince + TimeAmount(hub.limits.unreadTime) < .now() {
            cutOff()
        }
    }

    private func cutOff() {
        hub.metrics.countSlowReader()
        context?.channel.reset()
    }

    /// Ends the stream, and tells the client when to reconnect.
    ///
    /// A client that does not read gets this after the queued events, or is cut off as usual.
    func end(after milliseconds: Int) {
        guard let context, !isEnding else { return }
        isEnding = true
        write(StreamEvents.goodbye(after: milliseconds), publication: nil, context: context)
    }

    /// Ends the stream for a shutdown, which does not wait for clients that do not read.
    func endForShutdown() {
        end(after: hub.reconnectDelay())
        close()
    }

    func close() {
        context?.close(promise: nil)
    }

    /// Unregisters and releases the place; idempotent.
    private func leave() {
        guard context != nil else { return }
        context = nil
        streamPlace = nil
        project.remove(self)
    }
}

@available(*, unavailable)
extension EventStream: Sendable {}

/// A request for a stream: a user's document in a project, and the format of its events.
struct StreamRequest: Sendable {
    /// The format of a stream's events.
    enum Format: Sendable, Hashable {
        /// HTTP 2: the changed content.
        case activeConfig
        /// HTTP 4: the fact that something changed, for OpenFeature providers.
        case openFeature
    }

    let document: DocumentRequest

    /// The value of `Last-Event-ID`: the last version whose events the client received.
    var lastEventID: String?

    var format = Format.activeConfig
}

extension StreamRequest {
    /// The context for evaluating conditions now.
    var targetingContext: TargetingContext {
        TargetingContext(
            userID: document.userID, signals: document.signals, date: Date())
    }
}
