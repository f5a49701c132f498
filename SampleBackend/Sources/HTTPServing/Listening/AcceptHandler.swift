import Logging
import NIOCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Accepts connections while the connection limit and the file descriptors allow; part of the
/// listening socket's pipeline.
final class AcceptHandler: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never
    typealias OutboundOut = Never

    /// Time until the next attempt when the system lacks file descriptors or memory for a
    /// connection.
    private static let pauseTime: TimeAmount = .seconds(1)

    /// Nil when the number of connections is not limited.
    private let places: ConnectionPlaces?

    private let logger: Logger

    private var count = 0
    private var isReadHeld = false

    /// The scheduled end of a pause; nil when there is none.
    private var resumption: Scheduled<Void>?

    init(places: ConnectionPlaces?, logger: Logger) {
        self.places = places
        self.logger = logger
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        // Connections may be closed after the listening socket.
        isReadHeld = false
        resumption?.cancel()
        resumption = nil
    }

    func read(context: ChannelHandlerContext) {
        let hasRoom = places?.hasRoom(beside: count) ?? true
        isReadHeld = resumption != nil || !hasRoom
        if !isReadHeld { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        count += 1
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        unwrapInboundIn(data).closeFuture.hop(to: context.eventLoop).whenComplete { _ in
            let (handler, context) = bound.value
            handler.count -= 1
            if handler.isReadHeld { handler.read(context: context) }
        }
        context.fireChannelRead(data)
    }

    /// Pauses when the system lacks file descriptors or memory for a connection.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, Self.isShortage(error.errnoCode) else {
            context.fireErrorCaught(error)
            return
        }
        guard resumption == nil else { return }
        logger.warning(
            "No connection can be accepted: the next attempt is in one second",
            metadata: ["error": "\(error)"])
        // The socket stays readable and the failed read pending, so NIO would retry immediately in
        // a busy loop.
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        resumption = context.eventLoop.assumeIsolated().scheduleTask(in: Self.pauseTime) {
            self.resumption = nil
            self.isReadHeld = false
            try? context.channel.syncOptions?.setOption(.autoRead, value: true)
        }
    }

    private static func isShortage(_ errorNumber: CInt) -> Bool {
        [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errorNumber)
    }
}

@available(*, unavailable)
extension AcceptHandler: Sendable {}
