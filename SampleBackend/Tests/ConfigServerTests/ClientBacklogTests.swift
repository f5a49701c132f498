import InMemoryTemplateStore
import JSONTree
import NIOCore
import NIOEmbedded
import ServerTestSupport
import Testing

@testable import ConfigServer
@testable import HTTPServing

/// Memory of the data that waits for clients, over all connections.
struct ClientBacklogTests {
    @Test func theBacklogClosesTheConnectionWhoseBytesHaveWaitedLongest() throws {
        let backlog = ClientBacklog(limit: 100)
        let channels = (0..<3).map { _ in EmbeddedChannel() }
        let tickets = channels.map { backlog.hold(40, for: $0) }
        for channel in channels { channel.embeddedEventLoop.run() }
        #expect(backlog.bytes == 80)
        #expect(throws: ChannelError.self) { try channels[0].close().wait() }
        // The ticket of the client that was cut off no longer counts.
        backlog.release(tickets[0])
        #expect(backlog.bytes == 80)
        backlog.release(tickets[1])
        backlog.release(tickets[2])
        #expect(backlog.bytes == 0)
        for channel in channels[1...] { try channel.close().wait() }
    }

    @Test func theBacklogCountsASharedBufferOnce() throws {
        let backlog = ClientBacklog(limit: 100)
        let channel = EmbeddedChannel()
        let buffer = ByteBuffer(repeating: 1, count: 90)
        let tickets = (0..<50).map { _ in backlog.hold(0, sharedBuffer: buffer, for: channel) }
        channel.embeddedEventLoop.run()
        #expect(backlog.bytes == 90)
        for ticket in tickets.dropLast() { backlog.release(ticket) }
        #expect(backlog.bytes == 90)
        backlog.release(tickets[49])
        #expect(backlog.bytes == 0)
        try channel.close().wait()
    }

    @Test func anAnswerOfMoreThanHalfTheBacklogIsRefused() async throws {
        var options = ConfigServerOptions()
        options.limits.clientBacklogBytes = 1 << 20
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            for (bytes, status) in [(500_000, 200), (540_000, 413)] {
                let text = JSONNode.string(String(repeating: "x", count: bytes))
                let path = "/v1/projects/p\(bytes)/draft"
                _ = try await server.administer(
                    "PUT", path, body: ["baseVersion": "0", "template": ["a": text]],
                    fields: ["If-None-Match: *"])
                let answer = try await server.administer("GET", path)
                #expect(answer.status == status)
            }
        }
    }
}
