import HTTPTypes
import NIOCore
import NIOHTTP1

extension ConnectionHandler {
    /// Answers a request: at once, as a stream, or by a task.
    func answer(
        _ request: ConnectionStateMachine.WholeRequest, context: ChannelHandlerContext
    ) {
        let isHead = request.head.method == .HEAD
        if let response = services.immediateResponder?.response(to: request.head) {
            write(response, isHead: isHead, context: context)
            return
        }
        let address = context.remoteAddress.flatMap(ClientAddress.init)
        if let opening = services.streams?.opening(of: request.head, from: address) {
            open(opening, context: context)
            return
        }
        let answered = context.eventLoop.makePromise(of: RouteResponse.self)
        let responder = services.responder
        answering = Task { answered.succeed(await responder.respond(to: request)) }
        answered.futureResult.assumeIsolated().whenSuccess { response in
            self.answering = nil
            if !self.isOver { self.write(response, isHead: isHead, context: context) }
            self.proceed(context: context)
        }
    }

    /// Opens a stream in place of an answer, or says why not.
    private func open(_ opening: EventStreamRoutes.Opening, context: ChannelHandlerContext) {
        switch opening {
        case .refused(let response):
            write(response, isHead: false, context: context)
        case .checking(let check):
            context.eventLoop.makeFutureWithTask(check).assumeIsolated().whenSuccess { opening in
                guard !self.isOver else { return }
                self.open(opening, context: context)
                self.proceed(context: context)
            }
        case .accepted(let acceptance):
            // A client that has closed its sending side cannot be told from one that left.
            guard !state.isInputClosed, !input.isEnded else {
                context.close(promise: nil)
                return
            }
            handOver(to: acceptance, context: context)
        }
    }

    /// Leaves the connection to a stream; nothing but the handlers of TLS stays.
    private func handOver(
        to acceptance: EventStreamRoutes.Acceptance, context: ChannelHandlerContext
    ) {
        finish()
        // Later: the decoder may be at work, and what it makes of the bytes behind is dropped here.
        context.eventLoop.assumeIsolated().execute {
            guard context.channel.isActive else { return }
            guard
                let stream = self.services.streams?.hub.makeStream(
                    acceptance, backlog: self.services.backlog, isSecure: self.isSecure,
                    on: context.eventLoop)
            else {
                context.close(promise: nil)
                return
            }
            let pipeline = context.pipeline.syncOperations
            do {
                try pipeline.addHandler(stream, position: .after(self))
                let codec = [
                    try pipeline.context(
                        handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self),
                    try pipeline.context(handlerType: HTTPResponseEncoder.self),
                ]
                pipeline.removeHandler(context: context, promise: nil)
                for context in codec { pipeline.removeHandler(context: context, promise: nil) }
            } catch {
                context.close(promise: nil)
                return
            }
            stream.begin(headerFields: acceptance.headerFields)
            if self.isQuiescing { stream.endForShutdown() }
            if self.isReadHeld { stream.read() }
        }
    }

    /// Writes a whole answer.
    private func write(_ response: RouteResponse, isHead: Bool, context: ChannelHandlerContext) {
        var headers = HTTPHeaders()
        headers.reserveCapacity(response.headerFields.count + 3)
        for field in response.headerFields {
            headers.add(name: field.name.rawName, value: field.value)
        }
        if response.status != .notModified {
            headers.add(name: "content-length", value: "\(response.body.readableBytes)")
        }
        headers.add(name: "date", value: services.date.value)
        if state.isLastAnswer { headers.replaceOrAdd(name: "connection", value: "close") }
        let head = HTTPResponseHead(
            version: .http1_1,
            status: HTTPResponseStatus(
                statusCode: response.status.code, reasonPhrase: response.status.reasonPhrase),
            headers: headers)
        write(head, body: isHead ? ByteBuffer() : response.body, context: context)
    }

    /// Writes an error as the last answer of the connection.
    func write(_ refusal: ConnectionStateMachine.Refusal, context: ChannelHandlerContext) {
        let error = refusal.error
        var response = RouteResponse.error(error, target: refusal.head?.uri ?? "")
        for field in ConsoleProtection.fields(for: refusal.head?.uri) {
            response.headerFields[field.name] = field.value
        }
        let isHead = refusal.head?.method == .HEAD
        write(response, isHead: isHead, context: context)
        services.accessLog.record(
            method: refusal.head?.method.rawValue,
            path: refusal.head.map { services.routeName(ofTarget: $0.uri) },
            status: error.httpStatus.code, bytes: isHead ? 0 : response.body.readableBytes,
            duration: refusal.head.map { _ in readingSince.duration(to: .now) })
    }

    /// Writes a head and a body, and counts them while the client does not read.
    private func write(
        _ head: HTTPResponseHead, body: ByteBuffer, context: ChannelHandlerContext
    ) {
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if body.readableBytes > 0 {
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        }
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenSuccess { self.wasSent(context: context) }
        context.write(wrapOutboundOut(.end(nil)), promise: sent)
        perform(state.wroteAnswer(), context: context)
        context.flush()
        guard state.unsentAnswers > 0, !isOver else { return }
        let backlog = services.backlog
        // TLS has an encrypted copy for each connection.
        let ticket = backlog.hold(
            Self.answerBytes + (isSecure ? body.readableBytes : 0),
            sharedBuffer: isSecure || body.readableBytes == 0 ? nil : body, for: context.channel)
        sent.futureResult.assumeIsolated().whenComplete { _ in backlog.release(ticket) }
        if state.unsentAnswers == 1 { restartUnreadTime(context: context) }
    }

    /// About what an unsent answer takes besides its body.
    private static let answerBytes = 1_024

    /// Goes on after the socket has taken an answer.
    private func wasSent(context: ChannelHandlerContext) {
        guard !isOver else { return }
        perform(state.sentAnswer(), context: context)
        if isUnread { restartUnreadTime(context: context) }
    }
}
