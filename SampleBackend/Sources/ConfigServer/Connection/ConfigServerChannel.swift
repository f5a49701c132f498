import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Sets up each HTTP/1 connection: the decoder with its limits, then our ``ConnectionHandler``,
/// which does everything else.
struct ConfigServerChannel: ServerChildChannel {
    /// A connection.
    struct Value: ServerChildChannelValue {
        /// The connection.
        let channel: any Channel
    }

    /// The most bytes of one read, so that a client that sends much ahead is not far ahead.
    private static let readBytes = 4_096

    /// The most bytes that the system keeps unsent for a client.
    ///
    /// It would take megabytes for each that does not read, which ``ClientBacklog`` cannot count.
    private static let unsentBytes = 131_072

    /// What all connections share.
    let services: ConnectionServices

    /// The certificate and key; nil without TLS.
    let tls: NIOSSLContext?

    /// Sets up the handlers of a connection, from the socket inwards.
    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            // One read, then the handler says whether another may follow.
            try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
            try channel.syncOptions?.setOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(
                    minimum: 64, initial: 1_024, maximum: Self.readBytes))
            try channel.syncOptions?.setOption(
                .tcpOption(.init(rawValue: TCP_NOTSENT_LOWAT)), value: Self.unsentBytes)
            let pipeline = channel.pipeline.syncOperations
            if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
            let limits = services.limits
            var decoderLimits = NIOHTTPDecoderLimitConfiguration()
            decoderLimits.maxHeaderFieldSize = limits.headerBytes
            decoderLimits.maxHeaderListSize = limits.headerBytes
            decoderLimits.maxHeaderFieldCount = limits.headerFields
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false,
                withErrorHandling: false,
                withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(),
                withDecoderLimitConfiguration: decoderLimits)
            try pipeline.addHandler(ConnectionHandler(services: services, isSecure: tls != nil))
            return Value(channel: channel)
        }
    }

    /// Returns once a connection is closed; its handlers answer.
    func handle(value: Value, logger: Logger) async {
        await withTaskCancellationHandler {
            try? await value.channel.closeFuture.get()
        } onCancel: {
            value.channel.close(promise: nil)
        }
    }
}
