import HTTPTypes
import NIOCore
import NIOHTTP1

/// Guards one connection: sizes, times, broken requests, and its end.
///
/// ``ConnectionStateMachine`` decides; this does what it says and keeps the clock. While a request
/// is answered, or the client does not read, nothing more is read from the socket, and what the
/// decoder has made of the last read waits in ``input``.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = Never
    typealias OutboundIn = Never
    typealias OutboundOut = HTTPServerResponsePart

    /// What all connections share.
    let services: ConnectionServices

    /// Whether the connection is encrypted.
    let isSecure: Bool

    /// What decides.
    var state = ConnectionStateMachine()

    /// What came while a request was being answered.
    var input = PendingInput()

    /// What the memory of ``input`` is counted by, while there is any.
    private var inputTicket: ClientBacklog.Ticket?

    /// Whether the channel wants to read, and has to wait.
    var isReadHeld = false

    /// Whether ``proceed(context:)`` is at work.
    private var isProceeding = false

    /// Whether the connection is gone or about to become a stream, and nothing may be done.
    var isOver = false

    /// What the connection counts as while it is no stream.
    private var occupant: ConnectionPlaces.Occupant?

    /// The request being read or answered.
    var incoming: RequestDispatcher.Incoming?

    /// Answers the current request, unless that is done at once.
    var answering: Task<Void, Never>?

    /// When what is to be done next has had its time.
    private var clock = ConnectionClock()

    /// What the connection may cost.
    private var limits: ServerLimits { services.limits }

    /// Whether the client has left something unread.
    var isUnread: Bool { clock.unreadDeadline != nil }

    /// Whether the server shuts down.
    var isQuiescing: Bool { clock.shutdownDeadline != nil }

    init(services: ConnectionServices, isSecure: Bool) {
        self.services = services
        self.isSecure = isSecure
    }

    /// Starts the clock.
    func handlerAdded(context: ChannelHandlerContext) {
        occupant = services.places?.enter(context.channel)
        updateDeadlines(context: context)
    }

    /// Stops the clock.
    func handlerRemoved(context: ChannelHandlerContext) {
        finish()
    }

    /// Stops the clock.
    func channelInactive(context: ChannelHandlerContext) {
        // A shutdown waits for connections, not for what answers on none.
        if isQuiescing { answering?.cancel() }
        finish()
        context.fireChannelInactive()
    }

    /// Takes a part of a request, or keeps it until the one before is answered.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        receive(.part(unwrapInboundIn(data)), context: context)
    }

    /// Counts what is kept.
    func channelReadComplete(context: ChannelHandlerContext) {
        if !input.isEmpty, inputTicket == nil, !isOver {
            inputTicket = services.backlog.hold(input.bytes, for: context.channel)
        }
        context.fireChannelReadComplete()
    }

    /// Reads on, unless a request is being answered or the client does not read.
    func read(context: ChannelHandlerContext) {
        if isOver || (input.isEmpty && mayTakeInput(context: context)) {
            context.read()
        } else {
            isReadHeld = true
        }
    }

    /// Turns what is no HTTP into an error body.
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
            // More bytes behind an error that was answered already.
            break
        default:
            context.fireErrorCaught(error)
        }
    }

    /// Hears of a graceful shutdown, and of a client that sends nothing more.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent:
            clock.shutdownDeadline = .now() + TimeAmount(limits.shutdownTime)
            perform(state.quiesce(), context: context)
        case ChannelEvent.inputClosed where isOver:
            // A client that leaves while its stream is opened.
            context.close(promise: nil)
        case ChannelEvent.inputClosed:
            receive(.end, context: context)
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// Gives a client that does not read its time, and goes on with one that does.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        restartUnreadTime(context: context)
        proceed(context: context)
        context.fireChannelWritabilityChanged()
    }
}

extension ConnectionHandler {
    /// Whether the next input may be looked at.
    private func mayTakeInput(context: ChannelHandlerContext) -> Bool {
        state.takesInput && context.channel.isWritable
    }

    /// Takes what came, now or when it is its turn.
    private func receive(_ element: PendingInput.Element, context: ChannelHandlerContext) {
        guard !isOver else { return }
        if input.isEmpty, !isProceeding, mayTakeInput(context: context) {
            isProceeding = true
            take(element, context: context)
            isProceeding = false
        } else {
            input.append(element)
        }
        proceed(context: context)
    }

    /// Takes what is kept, as far as it may be, then reads on.
    func proceed(context: ChannelHandlerContext) {
        guard !isProceeding, !isOver else { return }
        isProceeding = true
        while !isOver, mayTakeInput(context: context), let element = input.popFirst() {
            take(element, context: context)
        }
        isProceeding = false
        guard input.isEmpty else { return }
        releaseInput()
        if isReadHeld, !isOver, mayTakeInput(context: context) {
            isReadHeld = false
            context.read()
        }
    }

    /// Passes an input to the state.
    private func take(_ element: PendingInput.Element, context: ChannelHandlerContext) {
        switch element {
        case .part(.head(let head)):
            let incoming = services.dispatcher.receive(
                head, from: context.remoteAddress.flatMap(ClientAddress.init))
            self.incoming = incoming
            if let error = incoming.refusal {
                perform(state.readUnwantedHead(error), context: context)
            } else {
                perform(
                    state.readHead(head, maximumBodyBytes: incoming.maximumBodyBytes),
                    context: context)
            }
        case .part(.body(let part)): perform(state.readBody(part), context: context)
        case .part(.end): perform(state.readEnd(), context: context)
        case .garbage(let error): perform(state.readGarbage(error), context: context)
        case .end: perform(state.inputClosed(), context: context)
        }
    }

    /// Does what the state says, then starts the time of the phase that follows.
    package func perform(_ action: ConnectionStateMachine.Action, context: ChannelHandlerContext) {
        switch action {
        case .none: break
        case .sendContinue:
            let head = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
        case .answer(let body): answer(body: body ?? ByteBuffer(), context: context)
        case .refuse(let error): refuse(error, context: context)
        case .closeOutput: context.close(mode: .output, promise: nil)
        case .close: context.close(promise: nil)
        }
        updateDeadlines(context: context)
    }

    /// Gives a client time to read, from now on, while there is something to be read.
    func restartUnreadTime(context: ChannelHandlerContext) {
        clock.unreadDeadline =
            state.unsentAnswers > 0 || !context.channel.isWritable
            ? .now() + TimeAmount(limits.unreadTime) : nil
        updateDeadlines(context: context)
    }

    /// Sets the deadline of a phase that has just begun, and the timer to the earliest deadline.
    private func updateDeadlines(context: ChannelHandlerContext) {
        guard !isOver else { return }
        if clock.enter(state.phase, limits: limits), let occupant {
            services.places?.setWaiting(state.phase != .answering, occupant)
        }
        clock.schedule(on: context.eventLoop) { self.timerFired(context: context) }
    }

    /// Ends what has had its time.
    private func timerFired(context: ChannelHandlerContext) {
        switch clock.expired() {
        case .connection: context.channel.closeAtOnce()
        case .phase: perform(state.timeIsOver(bodyTime: limits.bodyTime), context: context)
        case nil: updateDeadlines(context: context)
        }
    }

    /// Lets go of everything: the connection is over, or is a stream from now on.
    package func finish() {
        isOver = true
        clock.cancel()
        input = PendingInput()
        releaseInput()
        if let occupant { services.places?.leave(occupant) }
        occupant = nil
    }

    private func releaseInput() {
        if let inputTicket { services.backlog.release(inputTicket) }
        inputTicket = nil
    }
}

@available(*, unavailable)
extension ConnectionHandler: Sendable {}
