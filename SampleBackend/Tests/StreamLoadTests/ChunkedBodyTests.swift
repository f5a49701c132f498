import ChunkedBodies
import NIOCore
import Testing

struct ChunkedBodyTests {
    private static let text = "5\r\nhello\r\n1;x=1\r\n \r\n00A\r\n0123456789\r\n0\r\nX: y\r\n\r\n"

    @Test func theContentIsReadHoweverItsBytesArrive() throws {
        for size in 1...Self.text.utf8.count {
            var body = ChunkedBody()
            var content = ""
            var left = Self.text.utf8[...]
            while !left.isEmpty {
                #expect(!body.isComplete)
                content += String(buffer: try body.read(ByteBuffer(bytes: left.prefix(size))))
                left = left.dropFirst(size)
            }
            #expect(content == "hello 0123456789", "\(size)")
            #expect(body.isComplete, "\(size)")
        }
    }

    @Test(arguments: [
        "x\r\n", "-1\r\n", "5\nhello", "5\r\nhello!\r\n", "\r\n", "0\r\n\r\nmore",
        String(repeating: "0", count: 2_000),
    ])
    func whatIsNoChunkIsRefused(text: String) {
        var body = ChunkedBody()
        #expect(throws: ChunkedBody.Failure.self) { try body.read(ByteBuffer(string: text)) }
    }
}
