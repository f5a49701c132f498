import NIOCore
import NIOHTTP1
import NIOSSL

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Sets up each HTTP/1 connection: TLS, the decoder with its limits, then the ``ConnectionHandler``.
struct ConnectionSetup: Sendable {
    /// The most bytes of one read, so that a client that sends much ahead is not far ahead.
    private static let readBytes = 4_096

    /// The most bytes that the system keeps unsent for a client.
    ///
    /// It would take megabytes for each that does not read, which ``ClientBacklog`` cannot count.
    private static let unsentBytes = 131_072

    let services: ConnectionServices

    /// nil without TLS.
    let tls: NIOSSLContext?

    /// Adds the handlers of a connection, from the socket inwards.
    func setUp(_ channel: any Channel) -> EventLoopFuture<Void> {
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
        }
    }
}
