import NIOCore

/// Parses the head of a stream's response as its bytes arrive.
///
/// Supports only what the server's streams need: a chunked response, or, from earlier servers, one
/// that ends with the connection.
struct ResponseHead {
    enum Failure: Error {
        /// The response has another status than 200, or none.
        case status(Int?)
        /// The head is longer than ``ResponseHead/maximumBytes``.
        case tooLong
    }

    static let maximumBytes = 64 << 10

    private var bytes = ByteBuffer()
    private var hasStatus = false

    /// True once a header field has declared the body as chunked.
    private(set) var isChunked = false

    /// Consumes the arrived bytes, and returns those that follow the head once it is complete.
    mutating func read(_ more: ByteBuffer) throws(Failure) -> ByteBuffer? {
        bytes.writeImmutableBuffer(more)
        while let line = nextLine() {
            if !hasStatus {
                let parts = line.split(separator: " ")
                let status = parts.count > 1 ? Int(parts[1]) : nil
                guard status == 200 else { throw .status(status) }
                hasStatus = true
            } else if line.isEmpty {
                return bytes
            } else if line.lowercased().hasPrefix("transfer-encoding:") {
                isChunked = line.lowercased().hasSuffix("chunked")
            }
        }
        guard bytes.readableBytes <= Self.maximumBytes else { throw .tooLong }
        return nil
    }

    /// Consumes the next line, without its end.
    private mutating func nextLine() -> String? {
        let view = bytes.readableBytesView
        guard let end = view.firstIndex(of: UInt8(ascii: "\n")),
            let line = bytes.readString(length: end - view.startIndex)
        else { return nil }
        bytes.moveReaderIndex(forwardBy: 1)
        return line.hasSuffix("\r") ? String(line.dropLast()) : line
    }
}
