import HTTPTypes
import NIOCore
import NIOHTTP1

extension ConnectionHandler {
    /// Answers the current request, inline or on a pool.
    func answer(body: ByteBuffer, context: ChannelHandlerContext) {
        guard let incoming else { return }
        switch services.dispatcher.answer(incoming, body: body) {
        case .now(let answer): give(answer, body: body, context: context)
        case .later(let pool, let work):
            run(work, in: pool, body: body, context: context) { answer in
                if let answer { self.give(answer, body: body, context: context) }
            }
        }
    }

    /// Runs work for the current request on a pool and then continues; an overloaded pool refuses
    /// it.
    private func run(
        _ work: @escaping @Sendable () async -> Answer?, in pool: WorkPool, body: ByteBuffer,
        context: ChannelHandlerContext, then goOn: @escaping (Answer?) -> Void
    ) {
        guard let incoming else { return }
        let done = context.eventLoop.makePromise(of: Answer?.self)
        let refuse = { @Sendable [dispatcher = services.dispatcher] in
            done.succeed(.response(dispatcher.refusal(of: incoming, for: .tooBusy)))
        }
        let pooled = pool.submit(
            holding: incoming.request.head.approximateBytes + body.storageCapacity,
            { done.succeed(await work()) }, refuse: refuse)
        if let pooled {
            answering = pooled
        } else {
            refuse()
        }
        done.futureResult.assumeIsolated().whenSuccess { answer in
            self.answering = nil
            guard !self.isOver else { return }
            goOn(answer)
            self.proceed(context: context)
        }
    }

    /// Answers the current request again after a wait, unless the wait ends with an error.
    private func repeatAnswer(
        after wait: @escaping @Sendable () async throws(RequestError) -> Void, body: ByteBuffer,
        context: ChannelHandlerContext
    ) {
        incoming?.isRepeated = true
        incoming?.isTimed = false
        guard let incoming else { return }
        let work = { @Sendable [dispatcher = services.dispatcher] () async -> Answer? in
            do throws(RequestError) {
                try await wait()
                return nil
            } catch {
                return .response(dispatcher.refusal(of: incoming, for: error))
            }
        }
        run(work, in: .waits, body: body, context: context) { refusal in
            if let refusal {
                self.give(refusal, body: body, context: context)
            } else {
                self.answer(body: body, context: context)
            }
        }
    }

    /// Refuses the current request if its work has not started, since the client may be gone.
    func refuseWaitingWork() {
        guard let answering, answering.withdraw() else { return }
        answering.refuse()
    }

    /// Writes a response, or hands the connection over to a stream.
    private func give(_ answer: Answer, body: ByteBuffer, context: ChannelHandlerContext) {
        switch answer {
        case .response(let response): write(response, context: context)
        case .stream(let opening):
            // A half-closed client cannot be distinguished from one that has disconnected.
            guard !state.isInputClosed, !input.isEnded else {
                context.close(promise: nil)
                return
            }
            handOver(to: opening, context: context)
        case .waiting(let opening): wait(opening, context: context)
        case .repeated(let wait, _): repeatAnswer(after: wait, body: body, context: context)
        }
    }

    /// Waits for the response.
    ///
    /// As with any request in flight, nothing is read until then.
    private func wait(_ opening: WaitOpening, context: ChannelHandlerContext) {
        var isAnswered = false
        let request = opening.begin(context.eventLoop) { result in
            isAnswered = true
            self.waiting = nil
            guard !self.isOver, case .success(let response) = result else { return }
            self.write(response, context: context)
            self.proceed(context: context)
        }
        guard let request, !isAnswered, !isOver else { return }
        waiting = request
        if isQuiescing {
            request.end(for: .shutdown)
        } else if input.isEnded || state.isInputClosed {
            request.end(for: .inputClosed)
        }
    }

    /// Replaces the HTTP handlers with the stream's handler; only the TLS handler stays.
    private func handOver(to opening: StreamOpening, context: ChannelHandlerContext) {
        let version = incoming?.request.head.version ?? .http1_0
        let isChunked = (version.major, version.minor) >= (1, 1)
        finish()
        // Deferred because the decoder may be running; bytes that it still decodes are dropped.
        context.eventLoop.assumeIsolated().execute {
            guard context.channel.isActive else { return }
            let connection = StreamConnection(
                eventLoop: context.eventLoop, backlog: self.services.backlog,
                isSecure: self.isSecure, isChunked: isChunked)
            guard let stream = opening.makeHandler(connection) else {
                context.close(promise: nil)
                return
            }
            let pipeline = context.pipeline.syncOperations
            do {
                try pipeline.addHandler(stream, position: .after(self))
                let decoder = try pipeline.context(
                    handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
                pipeline.removeHandler(context: context, promise: nil)
                pipeline.removeHandler(context: decoder, promise: nil)
            } catch {
                context.close(promise: nil)
                return
            }
            var headerFields = opening.headerFields
            headerFields[.date] = self.services.date.value
            stream.begin(headerFields: headerFields)
            if self.isQuiescing { stream.endForShutdown() }
            if self.isReadHeld { stream.read() }
        }
    }

    /// Writes a response and counts it towards the backlog until it is sent.
    func write(_ response: RouteResponse, context: ChannelHandlerContext) {
        let body = incoming?.request.head.method == .HEAD ? ByteBuffer() : response.body
        let connection = persistence
        incoming = nil
        // Reuses the memory of the previous head if the socket has accepted it.
        headBuffer.clear(minimumCapacity: Self.headBytes)
        headBuffer.writeHead(
            of: response, date: services.date.value, connection: connection)
        context.write(wrapOutboundOut(.byteBuffer(headBuffer)), promise: nil)
        // An idle connection must not keep the memory of a long head, which no limit counts.
        if headBuffer.capacity > 8 * Self.headBytes { headBuffer = ByteBuffer() }
        if body.readableBytes > 0 {
            context.write(wrapOutboundOut(.byteBuffer(body)), promise: nil)
        }
        // TLS may buffer what it accepted, so only a promise shows when the data is sent.
        let sentSecurely = isSecure ? writeEnd(context: context) : nil
        perform(state.wroteAnswer(), context: context)
        context.flush()
        guard !isOver else { return }
        if sentSecurely == nil, hasSentAll(context: context) {
            wasSent(context: context)
            return
        }
        let sent = sentSecurely ?? writeEnd(context: context)
        context.flush()
        guard state.unsentAnswers > 0, !isOver else { return }
        let backlog = services.backlog
        // TLS buffers an encrypted copy per connection, so the body is not shared.
        let ticket = backlog.hold(
            Self.answerBytes + (isSecure ? body.readableBytes : 0),
            sharedBuffer: isSecure || body.readableBytes == 0 ? nil : body, for: context.channel)
        sent.assumeIsolated().whenComplete { _ in backlog.release(ticket) }
        if state.unsentAnswers == 1 { restartUnreadTime(context: context) }
    }

    /// What becomes of the connection after the answer to the current request.
    private var persistence: ConnectionPersistence {
        if state.isLastAnswer { return .closed }
        return incoming?.request.head.version == .http1_0 ? .openForHTTP10 : .open
    }

    /// Writes an empty buffer; the future succeeds when everything before it is sent.
    private func writeEnd(context: ChannelHandlerContext) -> EventLoopFuture<Void> {
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenSuccess { self.wasSent(context: context) }
        context.write(wrapOutboundOut(.byteBuffer(ByteBuffer())), promise: sent)
        return sent.futureResult
    }

    /// True when the socket has accepted everything that was written.
    private func hasSentAll(context: ChannelHandlerContext) -> Bool {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) == 0
    }

    /// Capacity of the head buffer, in bytes.
    private static let headBytes = 512

    /// Approximate memory of an unsent response without its body, in bytes.
    private static let answerBytes = 1_024

    /// Called when the socket has accepted a response.
    private func wasSent(context: ChannelHandlerContext) {
        guard !isOver else { return }
        perform(state.sentAnswer(), context: context)
        if isUnread { restartUnreadTime(context: context) }
    }
}
