import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

extension ConnectionHandler {
    /// Lets a task answer, from the first request on that needs one.
    ///
    /// Most connections never do, and are spared the memory.
    func forwardRequests(context: ChannelHandlerContext) {
        guard let requests else { return }
        self.requests = nil
        do {
            try context.pipeline.syncOperations.addHandler(
                HTTP1ToHTTPServerCodec(secure: isSecure))
            requests.succeed(
                try NIOAsyncChannel(
                    wrappingChannelSynchronously: context.channel,
                    configuration: .init(isOutboundHalfClosureEnabled: true)))
        } catch {
            requests.fail(error)
            context.close(promise: nil)
        }
    }

    /// Opens a stream in place of an answer, or says why not.
    func open(
        _ opening: EventStreamRoutes.Opening, context: ChannelHandlerContext
    ) {
        switch opening {
        case .refused(let response):
            write(response, isHead: false, context: context)
        case .checking(let check):
            context.eventLoop.makeFutureWithTask(check).assumeIsolated().whenSuccess { opening in
                if !self.isOver { self.open(opening, context: context) }
            }
        case .accepted(let request, let headerFields):
            guard
                let stream = services.streams?.hub.makeStream(request, on: context.eventLoop)
            else {
                let error = RequestError.unknownProject(request.configuration.project)
                write(.error(error, target: ""), isHead: false, context: context)
                return
            }
            handOver(to: stream, context: context)
            stream.begin(headerFields: headerFields)
        }
    }

    /// Leaves the connection to a stream; nothing but the handlers of TLS stays.
    func handOver(to stream: EventStream, context: ChannelHandlerContext) {
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
        }
    }

    /// Writes a whole answer.
    func write(
        _ response: RouteResponse, isHead: Bool, context: ChannelHandlerContext
    ) {
        var headers = HTTPHeaders()
        headers.reserveCapacity(response.headerFields.count + 1)
        for field in response.headerFields {
            headers.add(name: field.name.rawName, value: field.value)
        }
        if response.status != .notModified {
            headers.add(name: "content-length", value: "\(response.body.readableBytes)")
        }
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: response.status.code),
            headers: headers)
        write(context: context, data: wrapOutboundOut(.head(head)), promise: nil)
        if !isHead, response.body.readableBytes > 0 {
            context.write(wrapOutboundOut(.body(.byteBuffer(response.body))), promise: nil)
        }
        write(context: context, data: wrapOutboundOut(.end(nil)), promise: nil)
        context.flush()
    }

    /// Writes an error as the last answer of the connection.
    func write(_ refusal: ConnectionStateMachine.Refusal, context: ChannelHandlerContext) {
        let error = refusal.error
        let body = error.jsonBytes(forTarget: refusal.head?.uri ?? "")
        let isHead = refusal.head?.method == .HEAD
        var headers = HTTPHeaders(error.headerFields.map { ($0.name.rawName, $0.value) })
        headers.add(name: "content-type", value: "application/json")
        for field in ConsoleProtection.fields(for: refusal.head?.uri) {
            headers.add(name: field.name.rawName, value: field.value)
        }
        headers.add(name: "content-length", value: "\(body.readableBytes)")
        headers.add(name: "connection", value: "close")
        let status = HTTPResponseStatus(
            statusCode: error.httpStatus.code, reasonPhrase: error.httpStatus.reasonPhrase)
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !isHead {
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        }
        context.write(wrapOutboundOut(.end(nil)), promise: nil)
        services.accessLog.record(
            method: refusal.head?.method.rawValue,
            path: refusal.head.map { String($0.uri.prefix { $0 != "?" }) },
            status: error.httpStatus.code, bytes: isHead ? 0 : body.readableBytes,
            duration: refusal.head.map { _ in readingSince.duration(to: .now) })
    }

    /// Closes the sending side once everything written is sent.
    func closeSendingSide(context: ChannelHandlerContext) {
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in
            context.close(mode: .output, promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))), promise: sent)
    }
}
