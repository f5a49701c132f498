package import NIOCore

/// Removes the framing of a chunked response (RFC 9112, 7.1) as its bytes arrive.
package struct ChunkedBody {
    package enum Failure: Error {
        /// The bytes are not a chunk, or follow the last one.
        case malformed
    }

    private enum Part {
        case size
        case content(remaining: Int)
        case contentEnd
        case trailer
        case nothing
    }

    private static let maximumLine = 1_024

    private var unread = ByteBuffer()
    private var part = Part.size

    package init() {}

    /// True once the last chunk has arrived.
    package var isComplete: Bool { if case .nothing = part { true } else { false } }

    /// Consumes the arrived bytes, and returns their content.
    package mutating func read(_ bytes: ByteBuffer) throws(Failure) -> ByteBuffer {
        if unread.readableBytes == 0 { unread = bytes } else { unread.writeImmutableBuffer(bytes) }
        var content = ByteBuffer()
        while let piece = try next() {
            if content.readableBytes == 0 {
                content = piece
            } else {
                content.writeImmutableBuffer(piece)
            }
        }
        return content
    }

    /// The next piece of content, empty after framing; nil when more bytes are needed.
    private mutating func next() throws(Failure) -> ByteBuffer? {
        switch part {
        case .size:
            guard let line = try line() else { return nil }
            guard let size = Int(line.prefix { $0 != ";" }, radix: 16), size >= 0 else {
                throw .malformed
            }
            part = size == 0 ? .trailer : .content(remaining: size)
        case .content(let remaining):
            guard let piece = unread.readSlice(length: min(remaining, unread.readableBytes)),
                piece.readableBytes > 0
            else { return nil }
            let left = remaining - piece.readableBytes
            part = left == 0 ? .contentEnd : .content(remaining: left)
            return piece
        case .contentEnd:
            guard let line = try line() else { return nil }
            guard line.isEmpty else { throw .malformed }
            part = .size
        case .trailer:
            guard let line = try line() else { return nil }
            if line.isEmpty { part = .nothing }
        case .nothing:
            if unread.readableBytes > 0 { throw .malformed }
            return nil
        }
        return ByteBuffer()
    }

    /// The next line without its end; nil when more bytes are needed.
    private mutating func line() throws(Failure) -> String? {
        let view = unread.readableBytesView
        guard let end = view.firstIndex(of: UInt8(ascii: "\n")) else {
            guard view.count <= Self.maximumLine else { throw .malformed }
            return nil
        }
        let line = unread.readString(length: end - view.startIndex)
        unread.moveReaderIndex(forwardBy: 1)
        guard let line, line.utf8.last == UInt8(ascii: "\r") else { throw .malformed }
        return String(line.dropLast())
    }
}
