import ConfigServer
import HTTPServing
import NIOCore
import NIOEmbedded

/// A connection in memory that answers requests.
protocol MeasuredConnection {
    var channel: EmbeddedChannel { get }
}

extension MeasuredConnection {
    /// Passes a request in, and drops its answer.
    func answer(_ request: ByteBuffer) throws {
        try channel.writeInbound(request)
        var bytes = 0
        while let part = try channel.readOutbound(as: IOData.self) { bytes += part.readableBytes }
        guard bytes > 0 else { throw NoAnswer() }
    }
}

struct NoAnswer: Error {}

/// A connection of the server.
struct ServedConnection: MeasuredConnection {
    let channel = EmbeddedChannel()

    init(_ server: ConfigServer) throws {
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try ConnectionSetup(services: server.services, tls: nil).setUp(channel).wait()
    }
}

/// A connection of ``BareHandler``.
struct BareConnection: MeasuredConnection {
    let channel = EmbeddedChannel()

    init(_ document: ByteBuffer) throws {
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try BareHandler.setUp(channel, document)
    }
}
