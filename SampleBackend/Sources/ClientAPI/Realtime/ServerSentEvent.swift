import NIOCore

/// A type that writes one event of a stream as `text/event-stream` has it.
struct ServerSentEvent {
    /// The name of the event.
    let name: String

    /// What a client sends back as `Last-Event-ID`; nil leaves it as it was.
    var id: String?

    /// How many milliseconds a client is to wait before it connects again; nil leaves it to the
    /// client.
    var retry: Int?

    /// The data: one line of JSON, UTF-8.
    let data: ByteBuffer

    /// A line that clients ignore; it keeps the connection from being taken for dead.
    static let heartbeat = ByteBuffer(string: ":\n\n")

    /// The event as it is sent, with the empty line that ends it.
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
