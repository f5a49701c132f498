import Foundation

/// Parses events from a byte stream that may be split anywhere.
struct StreamEventParser: Sendable {
    /// Maximum length of a line in bytes, so that a response that is not an event stream cannot
    /// fill the memory.
    private static let maximumLineLength = 64 << 20

    /// Bytes after the last complete line.
    private var rest: [UInt8] = []

    /// Fields of the incomplete event.
    private var name = ""
    private var data: [String] = []

    /// The last identifier.
    private(set) var lastEventID: String?

    /// The reconnection delay in milliseconds, if the stream has set one.
    private(set) var retry: Int?

    /// Appends bytes and returns the events that are complete.
    ///
    /// - Throws: A ``CommandFailure`` when a line is too long.
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

    /// Handles a line without its line feed.
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

/// An event of a `text/event-stream`.
struct StreamEvent: Sendable, Hashable {
    var name = "message"

    /// The last identifier of the stream so far; nil when it sent none.
    var id: String?

    /// The lines of the data, joined with line feeds.
    var data = ""
}
