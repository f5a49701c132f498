import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOSSL

/// A type that sets up each HTTP/1 connection: the decoder with its limits, then our
/// ``ConnectionHandler``, which adds what Hummingbird reads requests from when one needs it.
///
/// Hummingbird's own channel answers a head that cannot be decoded with an empty 400, knows no
/// limit for bodies nor a time for them, and closes no HTTP/1.0 connection.
struct ConfigServerChannel: HTTPChannelHandler {
    /// A connection, and what it hands over to be answered.
    struct Value: ServerChildChannelValue {
        /// The connection.
        let channel: any Channel
        /// The requests that a task has to answer, once there is one; nil when the connection ended
        /// or became a stream without any.
        let requests: EventLoopFuture<Requests?>
    }

    /// The requests of a connection for a task to answer.
    typealias Requests = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

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
            let requests = channel.eventLoop.makePromise(of: Requests?.self)
            try pipeline.addHandler(
                ConnectionHandler(services: services, isSecure: tls != nil, requests: requests))
            return Value(channel: channel, requests: requests.futureResult)
        }
    }

    /// Answers the requests of a connection, one after the other, until it is closed.
    func handle(value: Value, logger: Logger) async {
        let requests = await withTaskCancellationHandler {
            try? await value.requests.get()
        } onCancel: {
            value.channel.close(promise: nil)
        }
        if let requests { await handleHTTP(asyncChannel: requests, logger: logger) }
    }
}
