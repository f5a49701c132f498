import Foundation
import HTTPServing
import HTTPTypes
import NIOCore
import NIOHTTP1
import Rendering
import Targeting
import Templates

/// One client that listens: the only handler that its connection still has.
///
/// It belongs to the thread of its connection. What it is sent is queued up to a limit, which all
/// share; a client that does not keep up is cut off, and comes back with `Last-Event-ID`.
final class EventStream: StreamHandler {
    /// Whatever a client still sends; it is not looked at.
    typealias InboundIn = Any

    /// What the client listens to.
    let request: StreamRequest

    /// Where it is registered while it is open.
    private let project: ProjectStreams

    /// What all threads share.
    private let hub: RealtimeHub

    /// What counts the bytes that clients do not read.
    private let backlog: ClientBacklog

    /// Whether each connection has an encrypted copy of what it is sent.
    private let isSecure: Bool

    /// The place it takes while it is open.
    private var streamPlace: StreamPlace?

    /// When it has to end; nil when it never has to.
    let endDeadline: NIODeadline?

    /// Whether it closes as soon as everything is sent.
    private var isEnding = false

    /// Which of the heartbeats it gets.
    let heartbeatSlot: Int

    /// Its place in the list of ``project``.
    var place = 0

    /// The pass of ``project`` that it has seen.
    var pass = 0

    /// What the client's document depends on, in the configuration of that pass.
    var basis: DocumentBasis

    /// The newest version of which the client has all events: the socket has taken them.
    private(set) var deliveredVersion: Int

    /// The newest version whose events are written, or that changes nothing for the client.
    private var writtenVersion: Int

    /// The connection, while it is open.
    private var context: ChannelHandlerContext?

    /// The bytes that the socket has not taken.
    private var queuedBytes = 0

    /// Since when there are such bytes.
    private var queuedSince = NIODeadline.now()

    /// Makes a stream that is not on a connection yet.
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
        basis = project.configuration.basis(for: request.targetingContext)
        deliveredVersion = project.configuration.compiled.version.number
        writtenVersion = deliveredVersion
    }

    /// Whether the connection is over.
    var isClosed: Bool { context == nil }

    /// Takes over a connection.
    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    /// Reads nothing.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    /// Leaves the list.
    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    /// Leaves the list.
    func handlerRemoved(context: ChannelHandlerContext) {
        leave()
    }

    /// Hears of a client that left, and of a graceful shutdown.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed: context.close(promise: nil)
        case is ChannelShouldQuiesceEvent: endForShutdown()
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    /// Closes a connection that is broken.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The decoder, as it leaves, of bytes behind the request.
        if error is HTTPParserError || error is ByteToMessageDecoderError { return }
        context.close(promise: nil)
    }

    /// Reads what the client still sends, and the end of it.
    func read() {
        context?.read()
    }

    /// Sends the head of the response, the first event and what the client has missed, and listens.
    ///
    /// - Parameter headerFields: What the head holds besides the type.
    func begin(headerFields: HTTPFields) {
        var head = ByteBuffer()
        // Without a length and chunks, the end of the connection is the end of the stream.
        head.writeString("HTTP/1.1 200 OK\r\n")
        for field in headerFields { head.writeString("\(field.name.rawName): \(field.value)\r\n") }
        head.writeString("\r\n")
        head.writeImmutableBuffer(StreamEvents.hello(version: deliveredVersion))
        guard let context else { return }
        // Not ``send(_:publication:)``: also a stream whose time is over by now begins with a head.
        write(head, publication: nil, context: context)
        project.add(self)
        project.catchUp(self)
    }

    /// Sends events.
    ///
    /// - Parameters:
    ///   - bytes: The events.
    ///   - publication: When what they tell of was published, to measure the delivery.
    func send(_ bytes: ByteBuffer, publication: Date? = nil) {
        guard let context, !isEnding else { return }
        if let endDeadline, endDeadline <= .now() {
            end(after: hub.reconnectDelay())
            return
        }
        write(bytes, publication: publication, context: context)
    }

    /// Writes events, and counts them while the client does not read.
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

    /// Goes on after the socket has taken events.
    private func wasSent(_ count: Int) {
        queuedBytes -= count
        queuedSince = .now()
        guard queuedBytes == 0 else { return }
        deliveredVersion = writtenVersion
        if isEnding { close() }
    }

    /// Remembers that everything up to a version is written; call it after ``send(_:publication:)``.
    func advance(to version: Int) {
        writtenVersion = version
        if queuedBytes == 0 { deliveredVersion = version }
    }

    /// Sends the line that keeps the connection alive, or cuts off a client that reads nothing.
    func beat() {
        guard queuedBytes > 0 else {
            send(ServerSentEvent.heartbeat)
            return
        }
        if queuedSince + TimeAmount(hub.limits.unreadTime) < .now() {
            cutOff()
        }
    }

    /// Closes the connection of a client that does not read.
    private func cutOff() {
        hub.metrics.countSlowReader()
        context?.channel.reset()
    }

    /// Ends the stream, and tells the client when to come back.
    ///
    /// A client that does not read is told after what it has not read, or is cut off as ever.
    func end(after milliseconds: Int) {
        guard let context, !isEnding else { return }
        isEnding = true
        write(StreamEvents.goodbye(after: milliseconds), publication: nil, context: context)
    }

    /// Ends the stream as the server ends, which waits for nobody who does not read.
    func endForShutdown() {
        end(after: hub.reconnectDelay())
        close()
    }

    /// Closes the connection at once.
    func close() {
        context?.close(promise: nil)
    }

    /// Leaves the list, once.
    private func leave() {
        guard context != nil else { return }
        context = nil
        streamPlace = nil
        project.remove(self)
    }
}

@available(*, unavailable)
extension EventStream: Sendable {}

extension StreamRequest {
    /// Who listens, now.
    var targetingContext: TargetingContext {
        TargetingContext(
            userID: configuration.userID, signals: configuration.signals, date: Date())
    }
}
