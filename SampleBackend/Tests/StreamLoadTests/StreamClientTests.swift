import NIOCore
import NIOEmbedded
import Testing

@testable import StreamLoad

/// Faults that a client detects in the server's responses.
struct StreamClientTests {
    private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static let hello = "event: hello\nid: 7\ndata: {\"template_version\": 7}\n\n"
    private static let data = #"{"template_version": 8, "etag": "x", "sections": {"Home": null}}"#
    private static let update = "event: update\nid: 8\ndata: \(data)\n\n"

    /// Connects a client and feeds it one response per connection, losing all connections but the
    /// last; returns the last request, too.
    private func read(
        _ responses: String...
    ) throws -> (client: StreamClient, counts: Counts, request: String) {
        let eventLoop = EmbeddedEventLoop()
        let crowd = Crowd(try #require(LoadOptions(["1"])), eventLoop: eventLoop)
        let client = StreamClient(number: 21, crowd: crowd)
        var request = ""
        for (index, response) in responses.enumerated() {
            let channel = EmbeddedChannel(handler: client, loop: eventLoop)
            channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
            request = String(buffer: try #require(try channel.readOutbound(as: ByteBuffer.self)))
            try channel.writeInbound(ByteBuffer(string: Self.inChunks(response)))
            if index < responses.count - 1 { _ = try channel.finish() }
        }
        return (client, crowd.checkedCounts(), request)
    }

    /// A response with its events in one chunk.
    private static func inChunks(_ response: String) -> String {
        guard response.hasPrefix(head) else { return response }
        let events = response.dropFirst(head.count)
        return "\(head)\(String(events.utf8.count, radix: 16))\r\n\(events)\r\n"
    }

    @Test func theClientTakesAnUpdateAfterHello() throws {
        let (client, counts, request) = try read(Self.head + Self.hello + ":\n\n" + Self.update)
        #expect(counts.faultExamples == [])
        #expect(counts.opened == 1)
        #expect(client.isOpen)
        #expect(client.version == 8)
        #expect(client.updates == 1)
        #expect(client.hasHeartbeat)
        #expect(request.hasPrefix("GET /activeconfig/user/user-21/events?"))
        #expect(request.contains("&signal.cohort=1 "))
        #expect(!request.contains("Last-Event-ID"))
    }

    @Test func theClientAsksForWhatItHasMissed() throws {
        let (client, counts, request) = try read(
            Self.head + Self.hello + Self.update,
            Self.head + "event: hello\nid: 9\ndata: {\"template_version\": 9}\n\n")
        #expect(counts.faultExamples == [])
        #expect(counts.lost == 1)
        #expect(request.contains("\r\nLast-Event-ID: 8\r\n"))
        // The update in between has not arrived yet.
        #expect(client.version == 8)
    }

    @Test func theClientReconnectsAfterTheRequestedDelay() throws {
        let (client, counts, _) = try read(
            Self.head + Self.hello + "event: retry\ndata: {\"after_ms\": 1234}\n\n")
        #expect(counts.faultExamples == [])
        #expect(counts.goodbyes == 1)
        #expect(client.delay == .milliseconds(1_234))
    }

    @Test func theClientComesBackWhenTheLastChunkLeavesTheConnectionOpen() throws {
        let size = String(Self.hello.utf8.count, radix: 16)
        let (client, counts, _) = try read(
            "HTTP/1.1 200 OK\r\nServer: nginx\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "\(size)\r\n\(Self.hello)\r\n0\r\n\r\n")
        #expect(counts.faultExamples == [])
        #expect(counts.lost == 1)
        #expect(!client.isOpen)
    }

    @Test func theClientReconnectsSoonWithoutARequestedDelay() throws {
        let (client, _, _) = try read(Self.head + Self.hello)
        #expect((.milliseconds(100)...(.milliseconds(200))).contains(client.delay))
        for _ in 1...9 { client.connectFailed() }
        #expect((.milliseconds(100)...(.milliseconds(2_000))).contains(client.delay))
    }

    @Test func theClientCountsAReset() throws {
        let (client, counts, _) = try read(
            Self.head + Self.hello + "event: reset\nid: 8\ndata: {\"template_version\": 8}\n\n")
        #expect(counts.faultExamples == [])
        #expect(counts.resets == 1)
        #expect(client.version == 8)
        #expect(client.updates == 0)
    }

    @Test(arguments: [
        update,
        hello + hello,
        hello + update + update,
        hello + "event: update\nid: 6\ndata: \(data)\n\n",
        hello + "event: update\nid: 9\ndata: \(data)\n\n",
        hello + "event: update\ndata: \(data)\n\n",
        hello + "event: update\nid: 8\ndata: {\"template_version\": 8,\n\n",
        hello + "event: update\nid: 8\ndata: {\"template_version\": 8, \"etag\": \"x\"}\n\n",
        hello + "event: update\nid: 8\n"
            + "data: {\"template_version\": 8, \"sections\": {\"Home\": null}}\n\n",
        hello + "event: news\ndata: {}\n\n",
        hello + "event: retry\ndata: {}\n\n",
        "event: hello\ndata: {\"template_version\": 7}\n\n",
        "event: hello\nid: 7\ndata: {\"template_version\": 6}\n\n",
    ])
    func theClientFindsWhatDoesNotFollowTheContract(events: String) throws {
        #expect(try read(Self.head + events).counts.faults == 1)
    }

    @Test func theClientFindsAVersionThatGoesBack() throws {
        let (_, counts, _) = try read(
            Self.head + Self.hello + Self.update, Self.head + Self.hello)
        #expect(counts.faults == 1)
    }

    @Test func theClientCountsARefusal() throws {
        let (client, counts, _) = try read("HTTP/1.1 503 Service Unavailable\r\n\r\n")
        #expect(counts.refused == [503: 1])
        #expect(counts.failed == 1)
        #expect(counts.faultExamples == [])
        #expect(!client.isOpen)
    }
}
