import NIOCore

/// A type that reads the response of one stream: the head, then events, as their bytes arrive.
///
/// It knows as much of HTTP as the server's streams need: a response without a length and without
/// chunks, which ends with the connection.
struct StreamParser {
    /// What does not follow HTTP 2.
    enum Failure: Error {
        /// The response has another status, or no status at all.
        case status(Int?)
        /// The head says that the body is chunked.
        case chunks
        /// A line is longer than ``StreamParser/maximumLine``.
        case longLine
    }

    /// The most bytes of a line.
    static let maximumLine = 1 << 20

    /// What has arrived and is not read.
    private var bytes = ByteBuffer()

    /// Whether the status line was read.
    private var hasStatus = false

    /// Whether the head was read.
    private var hasHead = false

    /// The event whose lines are being read; nil between two events.
    private var event: StreamEvent?

    /// Takes what has arrived.
    ///
    /// - Parameter more: The next bytes.
    mutating func append(_ more: ByteBuffer) {
        if bytes.readableBytes == 0 {
            bytes = more
        } else {
            bytes.writeImmutableBuffer(more)
        }
    }

    /// Reads the next event.
    ///
    /// - Returns: The event, or nil when its last line is not there yet.
    /// - Throws: A ``Failure``.
    mutating func next() throws(Failure) -> StreamEvent? {
        while let line = try nextLine() {
            if hasHead {
                if let event = read(line) { return event }
            } else {
                try readHead(line)
            }
        }
        return nil
    }

    /// Reads a line of the head.
    private mutating func readHead(_ line: ByteBuffer) throws(Failure) {
        if !hasStatus {
            let parts = String(buffer: line).split(separator: " ")
            let status = parts.count > 1 ? Int(parts[1]) : nil
            guard status == 200 else { throw .status(status) }
            hasStatus = true
        } else if line.readableBytes == 0 {
            hasHead = true
        } else if String(buffer: line).lowercased().hasPrefix("transfer-encoding:") {
            throw .chunks
        }
    }

    /// Reads a line of an event.
    ///
    /// - Returns: The event, when the line ends it.
    private mutating func read(_ line: ByteBuffer) -> StreamEvent? {
        guard line.readableBytes > 0 else {
            defer { event = nil }
            return event
        }
        let view = line.readableBytesView
        let colon = view.firstIndex(of: UInt8(ascii: ":")) ?? view.endIndex
        if colon == view.startIndex {
            return StreamEvent(name: .heartbeat)
        }
        var value = view[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        var event = event ?? StreamEvent()
        // The first letters tell the fields of HTTP 2 apart: event, id, data; retry is not used.
        switch view[view.startIndex] {
        case UInt8(ascii: "e"): event.name = Self.name(value)
        case UInt8(ascii: "i"): event.id = Int(String(decoding: value, as: UTF8.self))
        case UInt8(ascii: "d"): event.data = ByteBuffer(value)
        default: break
        }
        self.event = event
        return nil
    }

    /// The kind of an event.
    private static func name(_ value: ByteBufferView) -> StreamEvent.Name {
        switch String(decoding: value, as: UTF8.self) {
        case "hello": .hello
        case "update": .update
        case "reset": .reset
        case "retry": .retry
        default: .unknown
        }
    }

    /// Takes the next line, without its end.
    private mutating func nextLine() throws(Failure) -> ByteBuffer? {
        let view = bytes.readableBytesView
        guard let end = view.firstIndex(of: UInt8(ascii: "\n")) else {
            guard view.count <= Self.maximumLine else { throw .longLine }
            return nil
        }
        let length = end - view.startIndex
        guard var line = bytes.readSlice(length: length) else { return nil }
        bytes.moveReaderIndex(forwardBy: 1)
        if line.readableBytesView.last == UInt8(ascii: "\r") {
            line.moveWriterIndex(to: line.writerIndex - 1)
        }
        // Between two events the memory is let go.
        if bytes.readableBytes == 0 { bytes = ByteBuffer() }
        return line
    }
}
