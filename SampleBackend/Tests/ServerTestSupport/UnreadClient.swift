import NIOCore
import NIOPosix

/// A client that sends requests and does not read responses.
package enum UnreadClient: Sendable {
    /// Sends requests without reading until the server closes the connection, and then returns
    /// true.
    package static func fill(port: Int) async throws -> Bool {
        let channel = try await connect(port: port)
        let request = "GET /activeconfig HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let requests = ByteBuffer(string: String(repeating: request, count: 1_000))
        // The writes fail once the server has closed the connection; until then each waits for the
        // socket.
        do {
            while true { try await channel.writeAndFlush(requests) }
        } catch {
            try? await channel.close()
            return true
        }
    }

    /// Sends one request, does not read the response, and closes the connection after `body`.
    package static func open(
        port: Int, target: String, _ body: () async throws -> Void
    ) async throws {
        let channel = try await connect(port: port)
        do {
            let request = "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n"
            try await channel.writeAndFlush(ByteBuffer(string: request))
            try await body()
            try? await channel.close()
        } catch {
            try? await channel.close()
            throw error
        }
    }

    private static func connect(port: Int) async throws -> any Channel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.so_rcvbuf), value: 4_096)
            .connect(host: "127.0.0.1", port: port).get()
    }
}
