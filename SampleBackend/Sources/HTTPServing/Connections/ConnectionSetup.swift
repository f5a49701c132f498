package import NIOCore
import NIOHTTP1
import NIOSSL

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Builds the pipeline of each HTTP/1 connection: TLS, the decoder with its limits, then the
/// ``ConnectionHandler``.
package struct ConnectionSetup: Sendable {
    /// Maximum bytes per read.
    ///
    /// It is small to limit how much of a client's pipelined input is buffered.
    private static let readBytes = 4_096

    /// Maximum unsent bytes in the kernel's buffer of a connection.
    ///
    /// By default the kernel buffers megabytes per client that does not read, and ``ClientBacklog``
    /// cannot count them.
    private static let unsentBytes = 131_072

    let services: ConnectionServices

    /// Nil without TLS.
    let tls: TLSCertificate?

    package init(services: ConnectionServices, tls: TLSCertificate?) {
        (self.services, self.tls) = (services, tls)
    }

    /// Adds the handlers in order, starting at the socket.
    package func setUp(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            // One read at a time: the handler decides whether to read again.
            try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
            try channel.syncOptions?.setOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(
                    minimum: 64, initial: 1_024, maximum: Self.readBytes))
            try channel.syncOptions?.setOption(
                .tcpOption(.init(rawValue: TCP_NOTSENT_LOWAT)), value: Self.unsentBytes)
            let pipeline = channel.pipeline.syncOperations
            if let context = tls?.context {
                try pipeline.addHandler(NIOSSLServerHandler(context: context))
            }
            let limits = services.limits
            var decoderLimits = NIOHTTPDecoderLimitConfiguration()
            decoderLimits.maxHeaderFieldSize = limits.headerBytes
            decoderLimits.maxHeaderListSize = limits.headerBytes
            decoderLimits.maxHeaderFieldCount = limits.headerFields
            try pipeline.addHandler(
                ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: decoderLimits)))
            try pipeline.addHandler(ConnectionHandler(services: services, isSecure: tls != nil))
        }
    }
}

/// The services that all connections of a server share.
package struct ConnectionServices: Sendable {
    package let limits: ServerLimits
    package let dispatcher: RequestDispatcher
    /// Limits the memory of unsent and unprocessed data.
    package let backlog: ClientBacklog
    /// Limits the number of connections; nil when it is not limited.
    package let places: ConnectionPlaces?
    let date = DateField()

    package init(limits: ServerLimits, maximumConnections: Int?, dispatcher: RequestDispatcher) {
        self.limits = limits
        self.dispatcher = dispatcher
        backlog = ClientBacklog(limit: limits.clientBacklogBytes)
        places = maximumConnections.map { ConnectionPlaces(maximum: $0) }
    }
}
