import HTTPTypes
import NIOCore
import NIOHTTP1

/// A type that guards one connection: sizes, times, broken requests, and its end.
///
/// ``ConnectionStateMachine`` decides; this does what it says and keeps the clock.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    /// What the decoder reads.
    typealias InboundIn = HTTPServerRequestPart
    /// Whole requests, in the same parts.
    typealias InboundOut = HTTPServerRequestPart
    /// What the server answers.
    typealias OutboundIn = HTTPServerResponsePart
    /// The same, and errors found here.
    typealias OutboundOut = HTTPServerResponsePart

    /// What all connections share.
    let services: ConnectionServices

    /// What the connection may cost.
    private var limits: ServerLimits { services.limits }

    /// What decides.
    var state: ConnectionStateMachine

    /// The phase that ``phaseDeadline`` is for.
    private var phase: ConnectionStateMachine.Phase?

    /// When the time of the phase is over.
    private var phaseDeadline: NIODeadline?

    /// When a client that does not read has had its time.
    private var unreadDeadline: NIODeadline?

    /// When a server that shuts down waits no longer.
    private var shutdownDeadline: NIODeadline?

    /// The only timer, and when it fires.
    private var timer: (scheduled: Scheduled<Void>, deadline: NIODeadline)?

    /// Whether the connection is gone, and no timer may hold on to it.
    var isOver = false

    /// When the request being read began.
    var readingSince = ContinuousClock.now

    /// Whether the connection is encrypted.
    let isSecure: Bool

    /// Gets what Hummingbird reads requests from, when the first one needs that; then it is nil.
    var requests: EventLoopPromise<ConfigServerChannel.Requests?>?

    /// Makes the guard of a new connection.
    ///
    /// - Parameters:
    ///   - services: What all connections share.
    ///   - isSecure: Whether the connection is encrypted.
    ///   - requests: Gets what Hummingbird reads requests from, or nil at the end.
    init(
        services: ConnectionServices, isSecure: Bool,
        requests: EventLoopPromise<ConfigServerChannel.Requests?>
    ) {
        self.services = services
        self.isSecure = isSecure
        self.requests = requests
        self.state = ConnectionStateMachine(maximumBodyBytes: services.limits.bodyBytes)
    }

    /// Starts the clock.
    func handlerAdded(context: ChannelHandlerContext) {
        updateDeadlines(context: context)
    }

    /// Stops the clock.
    func handlerRemoved(context: ChannelHandlerContext) {
        cancelTimer()
    }

    /// Stops the clock.
    func channelInactive(context: ChannelHandlerContext) {
        cancelTimer()
        context.fireChannelInactive()
    }

    /// Takes a part of a request, and hands the request on once it is whole.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            readingSince = .now
            if let seconds = secondsToWait(for: head, context: context) {
                let error = RequestError.tooManyRequests(retryAfter: seconds)
                perform(state.readUnwantedHead(head, error), context: context)
            } else {
                let maximumBodyBytes = services.maximumBodyBytes(for: head)
                perform(
                    state.readHead(head, maximumBodyBytes: maximumBodyBytes), context: context)
            }
        case .body(let part):
            perform(state.readBody(part), context: context)
        case .end:
            perform(state.readEnd(), context: context)
        }
    }

    /// Turns what is no HTTP into an error body.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case HTTPParserError.headerOverflow:
            let error = RequestError.headerTooLarge(
                bytes: limits.headerBytes, fields: limits.headerFields)
            perform(state.readGarbage(error), context: context)
        case is HTTPParserError:
            let error = RequestError.invalidArgument(
                "The request is not valid HTTP/1.1 (\(error)): correct it and send it again.")
            perform(state.readGarbage(error), context: context)
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
            shutdownDeadline = .now() + TimeAmount(limits.shutdownTime)
            perform(state.quiesce(), context: context)
        case ChannelEvent.inputClosed:
            context.fireUserInboundEventTriggered(event)
            perform(state.inputClosed(), context: context)
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// Gives a client that does not read its time.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        unreadDeadline =
            context.channel.isWritable ? nil : .now() + TimeAmount(limits.unreadTime)
        updateDeadlines(context: context)
        context.fireChannelWritabilityChanged()
    }

    /// Passes an answer on, and closes the connection after the last one.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where state.isLastAnswer && head.status.code >= 200:
            head.headers.replaceOrAdd(name: "connection", value: "close")
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .head, .body:
            context.write(data, promise: promise)
        case .end:
            context.write(data, promise: promise)
            perform(state.wroteEnd(), context: context)
        }
    }
}

extension ConnectionHandler {
    /// Does what the state says, then starts the time of the phase that follows.
    private func perform(_ action: ConnectionStateMachine.Action, context: ChannelHandlerContext) {
        switch action {
        case .none:
            break
        case .sendContinue:
            let head = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
        case .forward(let request):
            if state.isOnlyRequest,
                let response = services.immediateResponder?.response(to: request.head)
            {
                write(response, isHead: request.head.method == .HEAD, context: context)
                return
            }
            if state.isOnlyRequest, let opening = services.streams?.opening(of: request.head) {
                open(opening, context: context)
                return
            }
            forwardRequests(context: context)
            context.fireChannelRead(wrapInboundOut(.head(request.head)))
            if let body = request.body {
                context.fireChannelRead(wrapInboundOut(.body(body)))
            }
            context.fireChannelRead(wrapInboundOut(.end(nil)))
        case .refuse(let refusal):
            write(refusal, context: context)
            closeSendingSide(context: context)
        case .finish:
            closeSendingSide(context: context)
        case .close:
            context.close(promise: nil)
        }
        updateDeadlines(context: context)
    }

    /// How many seconds the client has to wait before a request, or nil when it may ask.
    private func secondsToWait(for head: HTTPRequestHead, context: ChannelHandlerContext) -> Int? {
        context.remoteAddress?.ipAddress.flatMap {
            services.secondsToWait(for: head, address: $0)
        }
    }

    /// Sets the deadline of a phase that has just begun, and the timer to the earliest deadline.
    private func updateDeadlines(context: ChannelHandlerContext) {
        if state.phase != phase {
            phase = state.phase
            let time: Duration? =
                switch state.phase {
                case .awaitingRequest: limits.idleTime
                case .readingBody: limits.bodyTime
                case .answering: nil
                case .lingering: limits.lingerTime
                }
            phaseDeadline = time.map { .now() + TimeAmount($0) }
        }
        guard let deadline = earliestDeadline, !isOver else { return }
        // A timer that fires too early looks again; so most requests do not touch it.
        if let timer, timer.deadline <= deadline { return }
        timer?.scheduled.cancel()
        let scheduled = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.timer = nil
            self.timerFired(context: context)
        }
        timer = (scheduled, deadline)
    }

    /// The deadline that comes first, or nil when the server itself is at work.
    private var earliestDeadline: NIODeadline? {
        [phaseDeadline, unreadDeadline, shutdownDeadline].compactMap { $0 }.min()
    }

    /// Ends what has had its time.
    private func timerFired(context: ChannelHandlerContext) {
        let now = NIODeadline.now()
        if [unreadDeadline, shutdownDeadline].contains(where: { $0.map { $0 <= now } ?? false }) {
            context.close(promise: nil)
            return
        }
        if let phaseDeadline, phaseDeadline <= now {
            self.phaseDeadline = nil
            perform(state.timeIsOver(bodyTime: limits.bodyTime), context: context)
        } else {
            updateDeadlines(context: context)
        }
    }

    /// Stops the clock of a connection that is over, or that is a stream from now on.
    private func cancelTimer() {
        isOver = true
        requests?.succeed(nil)
        requests = nil
        timer?.scheduled.cancel()
        timer = nil
    }
}

@available(*, unavailable)
extension ConnectionHandler: Sendable {}
