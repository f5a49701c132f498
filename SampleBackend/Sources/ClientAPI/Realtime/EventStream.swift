import Foundation
import HTTPServing
import HTTPTypes
import NIOCore
import NIOHTTP1
import Rendering
import Targeting
import Templates

/// The stream of one client; the last remaining handler of its connection.
///
/// It belongs to the event loop of its connection and serves one or many users. Unsent events count
/// towards a limit of the stream and towards the backlog of all connections. A client that does not
/// keep up is disconnected and can resume with `Last-Event-ID`.
final class EventStream: StreamHandler {
    /// Input after the request is ignored.
    typealias InboundIn = Any

    /// The requests of the users; empty once the stream has started.
    private var requests: [StreamRequest]

    private let isOfMany: Bool

    /// The users; empty before the stream starts and after it is closed.
    private var subscriptions: [StreamSubscription] = []

    /// The list that contains the users while the stream is open.
    private let project: ProjectStreams

    let hub: RealtimeHub
    private let backlog: ClientBacklog

    /// True with TLS, which keeps an encrypted copy of each event per connection.
    private let isSecure: Bool

    /// False for an HTTP/1.0 client, for which the end of the connection is the end of the stream.
    let isChunked: Bool

    /// The reserved place; released when the stream closes.
    private var streamPlace: StreamPlace?

    let lifetime: StreamLifetime

    /// True when the stream closes as soon as everything is sent.
    var isEnding = false

    /// The heartbeat slot of the stream in ``StreamThread``.
    let heartbeatSlot: Int

    /// The connection; nil once it is closed.
    private(set) var context: ChannelHandlerContext?

    /// Bytes that the socket has not accepted yet.
    private(set) var queuedBytes = 0

    /// When the wait for the client started; reset whenever the socket accepts an event.
    private(set) var queuedSince = NIODeadline.now()

    /// Users whose newest events the socket has not accepted yet.
    private var unsettled: [StreamSubscription] = []

    /// Users who are sent a `reset` when the queue is empty.
    private var overflowed: [StreamSubscription] = []

    /// Creates a stream for one or more users, without a connection yet.
    init(
        _ requests: [StreamRequest], place: StreamPlace, project: ProjectStreams, hub: RealtimeHub,
        connection: StreamConnection, lifetime: StreamLifetime, heartbeatSlot: Int
    ) {
        self.requests = requests
        isOfMany = requests.count > 1
        streamPlace = place
        self.project = project
        self.hub = hub
        backlog = connection.backlog
        isSecure = connection.isSecure
        isChunked = connection.isChunked
        self.lifetime = lifetime
        self.heartbeatSlot = heartbeatSlot
    }

    /// The time when the stream must end; nil means never.
    var endDeadline: NIODeadline? { lifetime.end }

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

    /// Handles a client that disconnects and a graceful shutdown.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed: context.close(promise: nil)
        case is ChannelShouldQuiesceEvent: endForShutdown()
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The removed decoder reports any bytes after the request.
        if error is HTTPParserError || error is ByteToMessageDecoderError { return }
        context.close(promise: nil)
    }

    /// Reads from the socket to notice when the client disconnects.
    func read() {
        context?.read()
    }

    /// Sends the response head and the `hello` events, subscribes to changes, and sends the changes
    /// that the client missed.
    func begin(headerFields: HTTPFields) {
        let requests = requests
        self.requests = []
        var head = ByteBuffer()
        head.writeString("HTTP/1.1 200 OK\r\n")
        if isChunked { head.writeString("transfer-encoding: chunked\r\n") }
        head.writeFields(headerFields)
        head.writeString("\r\n")
        let version = project.published.compiled.version.number
        for request in requests {
            // Repeats the client's version as the ID, because the changes since then may not reach
            // the client.
            let hello = StreamEvents.hello(
                id: request.lastVersion ?? version, version: version,
                acknowledgedShare: hub.acknowledgedShare)
            append(request.namesUser ? hello.naming(request.document.userID) : hello, to: &head)
        }
        guard let context else { return }
        // Does not use ``send(_:for:)``, since even an expired stream must start with a response
        // head.
        write(head, publication: nil, context: context)
        for (index, request) in requests.enumerated() where self.context != nil {
            let subscription = StreamSubscription(
                request, stream: self, project: project, isLeading: index == 0)
            subscriptions.append(subscription)
            project.add(subscription)
        }
        // They may have been revoked after they were checked, and before this stream was in the list.
        guard lifetime.isAllowed() else {
            end(after: hub.reconnectDelay())
            return
        }
        for subscription in subscriptions where !isClosed { project.catchUp(subscription) }
    }

    /// Sends an event of a user.
    ///
    /// On a stream of many users, events that do not fit into the queue are replaced with a
    /// `reset`, so a change of all users still reaches a client that reads.
    func send(_ event: StreamEvent, for subscription: StreamSubscription) {
        guard !isEnding else { return }
        let isTooMuch =
            isOfMany && queuedBytes > 0
            && queuedBytes + event.size > hub.limits.usersStreamQueueBytes
        if subscription.needsReset || isTooMuch {
            if !subscription.needsReset { overflowed.append(subscription) }
            subscription.needsReset = true
            // The client counts only the `reset`.
            subscription.eventCount -= 1
            return
        }
        guard let chunk = event.chunk else { return }
        send(chunk.bytes(isChunked: isChunked), publication: event.publication)
    }

    /// Appends an encoded event.
    private func append(_ event: StreamEvent, to bytes: inout ByteBuffer) {
        guard let chunk = event.chunk else { return }
        bytes.writeImmutableBuffer(chunk.bytes(isChunked: isChunked))
    }

    /// Sends bytes; `publication` is the publication time of their version, for the delivery time
    /// metric.
    func send(_ bytes: ByteBuffer, publication: Date? = nil) {
        guard let context, !isEnding else { return }
        if let endDeadline, endDeadline <= .now() {
            end(after: hub.reconnectDelay())
            return
        }
        write(bytes, publication: publication, context: context)
    }

    /// Writes events and counts them towards the backlog until they are sent.
    func write(
        _ bytes: ByteBuffer, publication: Date?, context: ChannelHandlerContext
    ) {
        let count = bytes.readableBytes
        guard queuedBytes == 0 || queuedBytes + count <= maximumQueueBytes else {
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
        for subscription in unsettled { subscription.settle() }
        unsettled.removeAll(keepingCapacity: isOfMany)
        sendResets()
        if isEnding, queuedBytes == 0 { close() }
    }

    /// Sends a `reset` to the users whose events did not fit.
    private func sendResets() {
        guard !overflowed.isEmpty else { return }
        let users = overflowed
        overflowed = []
        let reset = StreamEvents.reset(version: project.published.compiled.version.number)
        var bytes = ByteBuffer()
        for user in users {
            user.needsReset = false
            user.eventCount += 1
            append(reset.naming(user.request.document.userID), to: &bytes)
        }
        send(bytes)
    }

    /// Marks a user's newest version as delivered once everything written is sent.
    func settle(_ subscription: StreamSubscription) {
        if queuedBytes == 0 {
            subscription.settle()
        } else if !subscription.isUnsettled {
            subscription.isUnsettled = true
            unsettled.append(subscription)
        }
    }

    /// Maximum bytes of unsent events; for many users, resets and the last event come on top.
    private var maximumQueueBytes: Int {
        isOfMany
            ? 2 * hub.limits.usersStreamQueueBytes : hub.limits.streamQueueBytes
    }

    func close() {
        context?.close(promise: nil)
    }

    /// Unsubscribes and releases the place; idempotent.
    private func leave() {
        guard context != nil else { return }
        context = nil
        streamPlace = nil
        for subscription in subscriptions { project.remove(subscription) }
        // Breaks the reference cycles: each subscription refers to the stream.
        subscriptions = []
        unsettled = []
        overflowed = []
    }
}

@available(*, unavailable)
extension EventStream: Sendable {}
