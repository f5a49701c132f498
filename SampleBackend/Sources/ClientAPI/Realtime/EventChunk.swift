import NIOCore

/// Encoded events as one chunk of a response (RFC 9112, 7.1), shared by all streams that send them.
struct EventChunk {
    /// The end of a chunked response.
    static let last = ByteBuffer(string: "0\r\n\r\n")

    private static let lineEnd: StaticString = "\r\n"

    /// Maximum digits of a chunk's size.
    private static let maximumDigits = 8

    /// The events, framed by the chunk's size and its end.
    private let framed: ByteBuffer

    /// Length of the chunk's size and its line end, in bytes.
    private let sizeLength: Int

    /// Encodes a chunk; `write` must add at least one byte, since an empty chunk ends the response.
    init(_ write: (inout ByteBuffer) -> Void) {
        var bytes = ByteBuffer()
        let start = Self.maximumDigits + Self.lineEnd.utf8CodeUnitCount
        bytes.writeRepeatingByte(UInt8(ascii: "0"), count: Self.maximumDigits)
        bytes.writeStaticString(Self.lineEnd)
        write(&bytes)
        let size = String(bytes.readableBytes - start, radix: 16)
        bytes.setString(size, at: Self.maximumDigits - size.utf8.count)
        bytes.moveReaderIndex(to: Self.maximumDigits - size.utf8.count)
        bytes.writeStaticString(Self.lineEnd)
        framed = bytes
        sizeLength = size.utf8.count + Self.lineEnd.utf8CodeUnitCount
    }

    /// The events without framing.
    var events: ByteBuffer {
        var events = framed
        events.moveReaderIndex(forwardBy: sizeLength)
        events.moveWriterIndex(to: events.writerIndex - Self.lineEnd.utf8CodeUnitCount)
        return events
    }

    /// The bytes to send: framed, or only the events to a client that does not understand chunks.
    func bytes(isChunked: Bool) -> ByteBuffer { isChunked ? framed : events }
}
