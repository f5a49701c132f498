import HTTPTypes
import NIOCore
import NIOHTTP1

/// Guards one connection: enforces sizes and deadlines, rejects malformed requests, and closes it.
///
/// ``ConnectionStateMachine`` makes the decisions; this handler performs its actions and runs the
/// timers. Back-pressure: while a request is being answered, or the client does not read, the
/// handler stops reading from the socket, and ``input`` queues what the decoder produced from the
/// last read.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = Never
    typealias OutboundIn = Never
    typealias OutboundOut = IOData

    let services: ConnectionServices
    let isSecure: Bool
    var state = ConnectionStateMachine()

    /// The head of the last answer; its memory is reused for the next one.
    var headBuffer = ByteBuffer()

    private var peer = Peer()

    /// Input that arrived while a request was being answered.
    var input = PendingInput()

    /// The backlog's ticket for the memory of ``input``; nil while there is none.
    private var inputTicket: ClientBacklog.Ticket?

    /// The backlog's ticket for an incomplete body; nil while there is none.
    private var bodyTicket: ClientBacklog.Ticket?

    /// True while a requested read is deferred.
    var isReadHeld = false

    /// Prevents reentrant calls of ``proceed(context:)``.
    private var isProceeding = false

    /// True once the connection is closed or about to become a stream; it must not be used any
    /// more.
    var isOver = false

    /// The entry in the list of connections; nil once the connection is closed or a stream.
    private var occupant: ConnectionPlaces.Occupant?

    var incoming: RequestDispatcher.Incoming?

    /// The pooled work that answers the current request; nil when it is answered inline.
    var answering: PooledWork?

    /// The current request while its response waits for an event, such as in a long poll.
    var waiting: (any WaitingRequest)?

    private var clock = ConnectionClock()

    private var limits: ServerLimits { services.limits }

    /// True while the client has unread answers.
    var isUnread: Bool { clock.unreadDeadline != nil }

    /// True while the server is shutting down.
    var isQuiescing: Bool { clock.shutdownDeadline != nil }

    init(services: ConnectionServices, isSecure: Bool) {
        self.services = services
        self.isSecure = isSecure
    }

    func handlerAdded(context: ChannelHandlerContext) {
        occupant = services.places?.enter(context.channel)
        peer.address = context.remoteAddress.flatMap(IPAddress.init)
        updateDeadlines(context: context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        finish()
    }

    func channelInactive(context: ChannelHandlerContext) {
        // A shutdown waits for connections, not for tasks whose connection is closed.
        if isQuiescing { answering?.cancel() }
        finish()
        refuseWaitingWork()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        receive(.part(unwrapInboundIn(data)), context: context)
    }

    /// Counts queued input, unless it is already counted, and an incomplete body towards the
    /// backlog.
    func channelReadComplete(context: ChannelHandlerContext) {
        if !input.isEmpty, inputTicket == nil, !isOver {
            inputTicket = services.backlog.hold(input.bytes, for: context.channel)
        }
        if state.bodyBytes > 0, !isOver {
            countBody(state.bodyBytes, of: context.channel)
        }
        context.fireChannelReadComplete()
    }

    /// Forwards a read, or defers it while a request is being answered or the client does not read.
    func read(context: ChannelHandlerContext) {
        if isOver || (input.isEmpty && mayTakeInput(context: context)) {
            context.read()
        } else {
            isReadHeld = true
        }
    }

    /// Turns malformed HTTP into an error response.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case HTTPParserError.headerOverflow:
            let error = RequestError.headerTooLarge(
                bytes: limits.headerBytes, fields: limits.headerFields)
            receive(.garbage(error), context: context)
        case is HTTPParserError:
            let error = RequestError.invalidArgument(
                "The request is not valid HTTP/1.1 (\(error)): correct it and send it again.")
            receive(.garbage(error), context: context)
        case is ByteToMessageDecoderError:
            // Bytes after a parse error that is already answered.
            break
        default:
            context.fireErrorCaught(error)
        }
    }

    /// Handles a graceful shutdown and the closing of the client's sending side.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent:
            clock.shutdownDeadline = .now() + TimeAmount(limits.shutdownTime)
            perform(state.quiesce(), context: context)
            waiting?.end(for: .shutdown)
        case ChannelEvent.inputClosed where isOver:
            // The client left while its stream was being opened.
            context.close(promise: nil)
        case ChannelEvent.inputClosed:
            receive(.end, context: context)
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// Starts the unread deadline when the socket's buffers are full, and continues when they
    /// drain.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        restartUnreadTime(context: context)
        proceed(context: context)
        context.fireChannelWritabilityChanged()
    }
}

extension ConnectionHandler {
    /// True when the next input may be processed.
    private func mayTakeInput(context: ChannelHandlerContext) -> Bool {
        state.takesInput && context.channel.isWritable
    }

    /// Processes an input, or queues it until the previous request is answered.
    private func receive(_ element: PendingInput.Element, context: ChannelHandlerContext) {
        guard !isOver else { return }
        if input.isEmpty, !isProceeding, mayTakeInput(context: context) {
            isProceeding = true
            take(element, context: context)
            isProceeding = false
        } else {
            input.append(element)
            if input.isEnded {
                waiting?.end(for: .inputClosed)
                refuseWaitingWork()
            }
        }
        proceed(context: context)
    }

    /// Processes queued input as far as the state allows, then resumes reading.
    func proceed(context: ChannelHandlerContext) {
        guard !isProceeding, !isOver else { return }
        isProceeding = true
        while !isOver, mayTakeInput(context: context), let element = input.popFirst() {
            take(element, context: context)
        }
        isProceeding = false
        guard input.isEmpty else { return }
        // Counts a body that the client sent ahead, since no further read may follow.
        if inputTicket != nil, !isOver, state.bodyBytes > 0 {
            countBody(state.bodyBytes, of: context.channel)
        }
        releaseInput()
        if isReadHeld, !isOver, mayTakeInput(context: context) {
            isReadHeld = false
            context.read()
        }
    }

    private func take(_ element: PendingInput.Element, context: ChannelHandlerContext) {
        switch element {
        case .part(.head(var head)):
            head.headers.normalizeValues()
            let incoming = services.dispatcher.receive(head, from: &peer)
            let maximum = min(incoming.maximumBodyBytes, limits.messageBytes)
            let action =
                incoming.refusal.map { state.readUnwanted($0) }
                ?? state.readHead(
                    incoming.request.head, framing: incoming.request.framing,
                    maximumBodyBytes: maximum)
            self.incoming = consume incoming
            perform(action, context: context)
        case .part(.body(let part)): perform(state.readBody(part), context: context)
        case .part(.end): perform(state.readEnd(), context: context)
        case .garbage(let error): perform(state.readUnwanted(error), context: context)
        case .end: perform(state.inputClosed(), context: context)
        }
    }

    /// Performs an action of the state machine, then starts the deadline of the new phase.
    func perform(_ action: ConnectionStateMachine.Action, context: ChannelHandlerContext) {
        switch action {
        case .none: break
        case .sendContinue:
            let head = ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")
            context.writeAndFlush(wrapOutboundOut(.byteBuffer(head)), promise: nil)
        case .answer(let body): answer(body: body ?? ByteBuffer(), context: context)
        case .refuse(let error):
            write(services.dispatcher.refusal(of: incoming, for: error), context: context)
        case .closeOutput: context.close(mode: .output, promise: nil)
        case .close: context.close(promise: nil)
        }
        if state.bodyBytes == 0 { releaseBody() }
        updateDeadlines(context: context)
    }

    /// Restarts the unread deadline while the client has something to read; clears it otherwise.
    func restartUnreadTime(context: ChannelHandlerContext) {
        clock.unreadDeadline =
            state.unsentAnswers > 0 || !context.channel.isWritable
            ? .now() + TimeAmount(limits.unreadTime) : nil
        updateDeadlines(context: context)
    }

    /// Starts the deadline of a phase that has just begun, and schedules the timer.
    private func updateDeadlines(context: ChannelHandlerContext) {
        guard !isOver else { return }
        if clock.enter(state.phase, limits: limits), let occupant {
            services.places?.setWaiting(state.phase != .answering, occupant)
        }
        guard clock.needsTimer else { return }
        clock.schedule(on: context.eventLoop) { self.timerFired(context: context) }
    }

    private func timerFired(context: ChannelHandlerContext) {
        switch clock.expired() {
        case .connection: context.channel.closeAtOnce()
        case .phase: perform(state.timeIsOver(bodyTime: limits.bodyTime), context: context)
        case nil: updateDeadlines(context: context)
        }
    }

    /// Releases all resources of the handler, because the connection is closed or becomes a stream.
    func finish() {
        isOver = true
        clock.cancel()
        waiting?.cancel()
        waiting = nil
        input = PendingInput()
        releaseInput()
        releaseBody()
        if let occupant { services.places?.leave(occupant) }
        occupant = nil
    }

    private func releaseInput() {
        if let inputTicket { services.backlog.release(inputTicket) }
        inputTicket = nil
    }

    private func countBody(_ bytes: Int, of channel: any Channel) {
        if let bodyTicket {
            services.backlog.resize(bodyTicket, to: bytes, for: channel)
        } else {
            bodyTicket = services.backlog.hold(bytes, for: channel)
        }
    }

    private func releaseBody() {
        if let bodyTicket { services.backlog.release(bodyTicket) }
        bodyTicket = nil
    }
}

@available(*, unavailable)
extension ConnectionHandler: Sendable {}
