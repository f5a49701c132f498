import Foundation

/// A type that finds the events in the bytes of a stream, however they are cut.
struct StreamEventParser: Sendable {
    /// The most bytes of a line, so that a server that is none cannot fill the memory.
    private static let maximumLineLength = 64 << 20

    /// The bytes behind the last line.
    private var rest: [UInt8] = []

    /// The event that has begun.
    private var name = ""
    private var data: [String] = []

    /// The last identifier.
    private(set) var lastEventID: String?

    /// How many milliseconds to wait before the next connection, when the stream has said so.
    private(set) var retry: Int?

    /// Takes bytes of the stream.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: The events that are whole now.
    /// - Throws: A ``CommandFailure`` when it is no stream of events.
    mutating func read(_ bytes: Data) throws -> [StreamEvent] {
        rest.append(contentsOf: bytes)
        var events: [StreamEvent] = []
        var start = rest.startIndex
        while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
            if let event = take(line: rest[start..<end]) { events.append(event) }
            start = end + 1
        }
        rest.removeFirst(start)
        guard rest.count <= Self.maximumLineLength else {
            throw CommandFailure(
                "The server sends something else than events: check --server.",
                code: Exit.unavailable)
        }
        return events
    }

    /// Takes a line, without the line feed behind it.
    private mutating func take(line bytes: ArraySlice<UInt8>) -> StreamEvent? {
        let bytes = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
        guard !bytes.isEmpty else {
            defer {
                name = ""
                data = []
            }
            guard !data.isEmpty else { return nil }
            return StreamEvent(
                name: name.isEmpty ? "message" : name, id: lastEventID,
                data: data.joined(separator: "\n"))
        }
        let parts = bytes.split(
            separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        let field = String(decoding: parts[0], as: UTF8.self)
        var value = parts.count > 1 ? parts[1] : []
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        let text = String(decoding: value, as: UTF8.self)
        switch field {
        case "event": name = text
        case "data": data.append(text)
        case "id": lastEventID = text
        case "retry": retry = Int(text)
        default: break
        }
        return nil
    }
}
