import NIOCore
import Testing

@testable import StreamLoad

struct ResponseHeadTests {
    /// Parses a response that arrives in pieces, and returns the text that follows the head.
    private static func rest(of text: String, size: Int) throws -> String? {
        var head = ResponseHead()
        var left = text.utf8[...]
        while !left.isEmpty {
            let piece = ByteBuffer(bytes: left.prefix(size))
            left = left.dropFirst(size)
            if let rest = try head.read(piece) {
                return String(buffer: rest) + String(decoding: left, as: UTF8.self)
            }
        }
        return nil
    }

    @Test(arguments: ["\r\n", "\n"])
    func theRestFollowsTheHeadHoweverItsBytesArrive(lineEnd: String) throws {
        let head = "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nCache-Control: no-store\n\n"
            .replacing("\n", with: lineEnd)
        let text = head + "\nevent: hello\n\n"
        for size in 1...text.utf8.count {
            #expect(try Self.rest(of: text, size: size) == "\nevent: hello\n\n", "\(size)")
        }
        #expect(try Self.rest(of: String(head.dropLast()), size: 1) == nil)
    }

    @Test(arguments: ["HTTP/1.1 503 Service Unavailable\r\n\r\n", "HTTP/1.1 204 No Content\r\n"])
    func aHeadOfNoStreamIsRefused(head: String) {
        #expect(throws: ResponseHead.Failure.self) { try Self.rest(of: head, size: 10) }
    }

    @Test(arguments: [("Transfer-Encoding: Chunked", true), ("Content-Type: text/plain", false)])
    func theHeadSaysWhetherTheBodyIsInChunks(field: String, isChunked: Bool) throws {
        var head = ResponseHead()
        let rest = try head.read(ByteBuffer(string: "HTTP/1.1 200 OK\r\n\(field)\r\n\r\n"))
        #expect(rest?.readableBytes == 0)
        #expect(head.isChunked == isChunked)
    }

    @Test func aHeadWithoutEndIsRefused() throws {
        let text = String(repeating: "x", count: ResponseHead.maximumBytes + 1)
        #expect(throws: ResponseHead.Failure.self) { try Self.rest(of: text, size: 10_000) }
    }
}
