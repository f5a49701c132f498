import NIOCore
import Testing

@testable import StreamLoad

/// Parsing the bytes of a stream.
struct StreamParserTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

    @Test(arguments: [1, 2, 7, 1_000])
    func readsEventsHoweverTheirBytesArrive(size: Int) throws {
        let text =
            Self.head
            + "event: hello\nid: 7\nretry: 2000\ndata: {\"template_version\": 7}\n\n"
            + ":\n\n:a comment\n\nevent: update\r\nid:8\r\ndata:x:y\r\n\r\nevent: other\ndata: z\n\n"
        var parser = StreamParser()
        var events: [StreamEvent] = []
        var rest = text.utf8[...]
        while !rest.isEmpty {
            parser.append(ByteBuffer(bytes: rest.prefix(size)))
            rest = rest.dropFirst(size)
            while let event = try parser.next() { events.append(event) }
        }
        #expect(events.map(\.name) == [.hello, .heartbeat, .heartbeat, .update, .unknown])
        #expect(events.map(\.id) == [7, nil, nil, 8, nil])
        #expect(
            events.map { String(buffer: $0.data) }
                == ["{\"template_version\": 7}", "", "", "x:y", "z"])
    }

    @Test(arguments: ["HTTP/1.1 503 Service Unavailable\r\n\r\n", "HTTP/1.1 204 No Content\r\n"])
    func refusesWhatIsNoStream(head: String) {
        var parser = StreamParser()
        parser.append(ByteBuffer(string: head))
        #expect(throws: StreamParser.Failure.self) { try parser.next() }
    }

    @Test func refusesChunks() {
        var parser = StreamParser()
        parser.append(
            ByteBuffer(string: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"))
        #expect(throws: StreamParser.Failure.self) { try parser.next() }
    }

    @Test func refusesALineWithoutEnd() throws {
        var parser = StreamParser()
        parser.append(ByteBuffer(string: Self.head))
        parser.append(ByteBuffer(repeating: UInt8(ascii: "x"), count: StreamParser.maximumLine + 1))
        #expect(throws: StreamParser.Failure.self) { try parser.next() }
    }
}
