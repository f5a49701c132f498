import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOSSL

/// A type that sets up each HTTP/1 connection: the decoder with its limits, then our
/// ``ConnectionHandler``, then what Hummingbird reads requests from.
///
/// Hummingbird's own channel answers a head that cannot be decoded with an empty 400, knows no
/// limit for bodies nor a time for them, and closes no HTTP/1.0 connection.
struct ConfigServerChannel: HTTPChannelHandler {
    /// What one connection hands over to be answered.
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    /// What answers a request.
    let responder: HTTPChannelHandler.Responder

    /// What all connections share.
    let services: ConnectionServices

    /// The certificate and key; nil without TLS.
    let tls: NIOSSLContext?

    /// Sets up the handlers of a connection, from the socket inwards.
    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
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
            try pipeline.addHandler(ConnectionHandler(services: services))
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: tls != nil))
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    /// Answers the requests of a connection, one after the other, until it is closed.
    func handle(value: Value, logger: Logger) async {
        await handleHTTP(asyncChannel: value, logger: logger)
    }
}
