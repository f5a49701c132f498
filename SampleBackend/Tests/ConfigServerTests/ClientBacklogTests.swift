import InMemoryTemplateStore
import JSONTree
import NIOCore
import NIOEmbedded
import SeededRandomness
import ServerTestSupport
import Testing

@testable import ConfigServer
@testable import HTTPServing

/// The budget for data that waits for clients, over all connections.
struct ClientBacklogTests {
    @Test func theBacklogClosesTheConnectionWhoseBytesHaveWaitedLongest() throws {
        let backlog = ClientBacklog(limit: 100)
        let channels = (0..<3).map { _ in EmbeddedChannel() }
        let tickets = channels.map { backlog.hold(40, for: $0) }
        for channel in channels { channel.embeddedEventLoop.run() }
        #expect(backlog.bytes == 80)
        #expect(throws: ChannelError.self) { try channels[0].close().wait() }
        // The ticket of the disconnected client no longer counts.
        backlog.release(tickets[0])
        #expect(backlog.bytes == 80)
        backlog.release(tickets[1])
        backlog.release(tickets[2])
        #expect(backlog.bytes == 0)
        for channel in channels[1...] { try channel.close().wait() }
    }

    @Test func dataThatGrowsKeepsItsAge() throws {
        let backlog = ClientBacklog(limit: 100)
        let channels = (0..<2).map { _ in EmbeddedChannel() }
        let tickets = channels.map { backlog.hold(40, for: $0) }
        backlog.resize(tickets[0], to: 50, for: channels[0])
        #expect(backlog.bytes == 90)
        backlog.resize(tickets[0], to: 70, for: channels[0])
        for channel in channels { channel.embeddedEventLoop.run() }
        #expect(throws: ChannelError.self) { try channels[0].close().wait() }
        // The ticket of the disconnected client no longer counts.
        backlog.resize(tickets[0], to: 90, for: channels[0])
        #expect(backlog.bytes == 40)
        backlog.release(tickets[1])
        #expect(backlog.bytes == 0)
        try channels[1].close().wait()
    }

    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func theOldestBodiesThatAreStillComingAreCutOff() async throws {
        var options = ConfigServerOptions()
        options.limits.clientBacklogBytes = 1 << 20
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            let port = server.port
            await withTaskGroup { clients in
                for number in 0..<8 {
                    clients.addTask {
                        try? await HTTPConnection.open(port: port) { connection in
                            connection.send(
                                "PUT /v1/projects/p\(number)/draft HTTP/1.1\r\nHost: test\r\n"
                                    + "Authorization: Bearer \(RunningServer.administratorToken)"
                                    + "\r\nContent-Length: 400000\r\n\r\n")
                            connection.send([UInt8](repeating: 0x20, count: 300_000))
                            return await connection.receiveEnd()
                        }
                    }
                }
                // Each takes 512 KiB, so two of them fit.
                for _ in 0..<6 {
                    let answer = await clients.next()
                    #expect(answer == "", "it was cut off, not answered in the end")
                }
                clients.cancelAll()
            }
            // A client that sends its whole body is served.
            let template = JSONNode.string(String(repeating: "x", count: 400_000))
            let answer = try await server.administer(
                "PUT", "/v1/projects/p/draft",
                body: ["baseVersion": "0", "template": ["a": template]],
                fields: ["If-None-Match: *"])
            #expect(answer.status == 200)
        }
    }

    @Test func aBodyOfMoreThanHalfTheBacklogIsRefused() async throws {
        var options = ConfigServerOptions()
        options.limits.clientBacklogBytes = 1 << 20
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            let text = JSONNode.string(String(repeating: "x", count: 540_000))
            let answer = try await server.administer(
                "PUT", "/v1/projects/p/draft", body: ["baseVersion": "0", "template": ["a": text]],
                fields: ["If-None-Match: *"])
            #expect(answer.status == 413)
        }
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

    @Test func aDraftWhoseAnswerTakesMoreThanHalfTheBacklogIsNotStored() async throws {
        var options = ConfigServerOptions()
        options.limits.clientBacklogBytes = 1 << 20
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            for (bytes, status) in [(250_000, 200), (280_000, 413)] {
                let text = JSONNode.string(String(repeating: "x", count: bytes))
                let path = "/v1/projects/p\(bytes)/draft"
                let started = try await server.administer(
                    "PUT", path, body: ["baseVersion": "0", "template": ["a": text]],
                    fields: ["If-None-Match: *"])
                #expect(started.status == 200)
                // The draft has twice the size of a request's text.
                let patched = try await server.administer(
                    "PATCH", path, body: [["op": "add", "path": "/b", "value": text]],
                    fields: ["If-Match: *", "Content-Type: application/json-patch+json"])
                #expect(patched.status == status)
                #expect(try await server.administer("GET", path).status == 200)
            }
        }
    }
}
