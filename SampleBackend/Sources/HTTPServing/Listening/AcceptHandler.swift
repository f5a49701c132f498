import Logging
import NIOCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Accepts connections while there are places and files for them; part of the listening socket's
/// pipeline.
final class AcceptHandler: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never
    typealias OutboundOut = Never

    /// Time until the next attempt when the system has no file or memory for another connection.
    private static let pauseTime: TimeAmount = .seconds(1)

    /// Nil when the number of connections is not limited.
    private let places: ConnectionPlaces?

    private let logger: Logger

    private var count = 0
    private var isReadHeld = false

    /// The end of the pause; nil when there is none.
    private var resumption: Scheduled<Void>?

    init(places: ConnectionPlaces?, logger: Logger) {
        self.places = places
        self.logger = logger
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        // Connections may close after the listening socket.
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

    /// Pauses when the system has no file or memory for another connection.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, Self.isShortage(error.errnoCode) else {
            context.fireErrorCaught(error)
            return
        }
        guard resumption == nil else { return }
        logger.warning(
            "No connection can be accepted now: the next attempt is in a second",
            metadata: ["error": "\(error)"])
        // The socket stays readable and the failed read pending, so that NIO would try again at
        // once and keep the thread busy.
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
