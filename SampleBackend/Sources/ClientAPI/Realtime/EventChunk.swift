import NIOCore

/// Encoded events as one chunk of a response (RFC 9112, 7.1), which all streams that get them share.
struct EventChunk {
    /// The end of a response in chunks.
    static let last = ByteBuffer(string: "0\r\n\r\n")

    private static let lineEnd: StaticString = "\r\n"

    /// Maximum digits of a chunk's size.
    private static let maximumDigits = 8

    /// The events between the chunk's size and its end.
    private let framed: ByteBuffer

    /// Bytes of the chunk's size and its line end.
    private let sizeLength: Int

    /// Encodes a chunk; `write` adds at least one byte, since an empty chunk would end the response.
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

    /// The events alone.
    var events: ByteBuffer {
        var events = framed
        events.moveReaderIndex(forwardBy: sizeLength)
        events.moveWriterIndex(to: events.writerIndex - Self.lineEnd.utf8CodeUnitCount)
        return events
    }

    /// The bytes to send: framed, or the events alone to a client that knows no chunks.
    func bytes(isChunked: Bool) -> ByteBuffer { isChunked ? framed : events }
}
