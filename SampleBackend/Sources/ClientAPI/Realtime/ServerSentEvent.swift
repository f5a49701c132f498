import NIOCore

/// One event in the format `text/event-stream`.
struct ServerSentEvent {
    let name: String

    /// The ID that a client sends back as `Last-Event-ID`; nil leaves the client's last one.
    var id: String?

    /// The client's delay before it reconnects, in milliseconds; nil leaves it unchanged.
    var retry: Int?

    /// One line of JSON, UTF-8.
    let data: ByteBuffer

    /// A comment line, which clients ignore; it keeps idle connections from being closed.
    static let heartbeat = ByteBuffer(string: ":\n\n")

    /// The encoded event, including the empty line that ends it.
    var bytes: ByteBuffer {
        var bytes = ByteBuffer()
        bytes.reserveCapacity(data.readableBytes + 64)
        bytes.writeString("event: \(name)\n")
        if let id { bytes.writeString("id: \(id)\n") }
        if let retry { bytes.writeString("retry: \(retry)\n") }
        bytes.writeString("data: ")
        bytes.writeImmutableBuffer(data)
        bytes.writeString("\n\n")
        return bytes
    }
}
