import NIOCore
import NIOPosix

/// A type that is a client that asks and asks, and reads no answer.
package enum UnreadClient: Sendable {
    /// Sends requests without reading until the server closes the connection.
    ///
    /// - Parameter port: The server's port.
    /// - Returns: true once the server has closed.
    /// - Throws: What connecting throws.
    package static func fill(port: Int) async throws -> Bool {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.so_rcvbuf), value: 4_096)
            .connect(host: "127.0.0.1", port: port).get()
        let request = "GET /activeconfig HTTP/1.1\r\nHost: a\r\n\r\n"
        let requests = ByteBuffer(string: String(repeating: request, count: 1_000))
        // The writes fail once the server has closed; until then each waits for the socket.
        do {
            while true { try await channel.writeAndFlush(requests) }
        } catch {
            try? await channel.close()
            return true
        }
    }
}
