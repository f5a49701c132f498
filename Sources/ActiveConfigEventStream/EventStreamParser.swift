/// Parses `text/event-stream` (HTML, 9.2.6) from bytes in pieces of any size.
///
/// Call ``next()`` until it returns nil after each ``append(_:)``. An event that the stream leaves
/// incomplete is dropped. Between two events no read bytes are kept.
///
/// ```swift
/// var parser = EventStreamParser(maximumBytes: 1 << 20)
/// parser.append(Array("event: update\ndata: 1\n\n".utf8))
/// while let element = try parser.next() {
///     if case .event(let event) = element { print(event.name, event.text) }  // update 1
/// }
/// ```
public struct EventStreamParser: Sendable {
    /// An element of a stream.
    public enum Element: Sendable, Hashable {
        /// An event with data; others are not dispatched.
        case event(ServerEvent)

        /// The text after the colon; servers send comments as heartbeats.
        case comment(String)

        /// The time that a client waits before it reconnects.
        case retry(milliseconds: Int)
    }

    /// Maximum length of a line, and of the data of an event, in bytes.
    private let maximumBytes: Int

    /// The bytes from ``readCount`` on are those after the last line that was read.
    private var bytes: [UInt8] = []
    private var readCount = 0

    /// Number of unread bytes known to contain no line end, so that a line in many pieces is
    /// searched once.
    private var searchedCount = 0

    /// Whether a line feed belongs to the end of the line before.
    private var followsCarriageReturn = false

    private var isFirstLine = true
    private var failure: EventStreamError?

    /// Fields of the incomplete event.
    private var name = ""
    private var id: String?
    private var data: [UInt8]?

    /// Creates a parser at the start of a stream.
    ///
    /// - Parameter maximumBytes: The maximum length of a line, and of the data of an event, in bytes.
    public init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// Adds the next bytes of the stream.
    public mutating func append(_ piece: some Collection<UInt8>) {
        guard failure == nil else { return }
        // Moved only when more was read than is moved, so that each byte is moved once on average.
        if readCount > bytes.count - readCount { removeReadBytes() }
        bytes.append(contentsOf: piece)
    }

    /// The next element, or nil until more bytes are appended.
    ///
    /// - Throws: ``EventStreamError`` when a line or an event exceeds the limit; the parser must
    ///   not be used afterwards.
    public mutating func next() throws(EventStreamError) -> Element? {
        if let failure { throw failure }
        do throws(EventStreamError) {
            while let line = try nextLine() {
                if let element = try take(line) { return element }
            }
            return nil
        } catch {
            failure = error
            (bytes, readCount, data) = ([], 0, nil)
            throw error
        }
    }
}

extension EventStreamParser {
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The range in ``bytes`` of the next line without its end.
    private mutating func nextLine() throws(EventStreamError) -> Range<Int>? {
        if followsCarriageReturn, readCount < bytes.count {
            followsCarriageReturn = false
            if bytes[readCount] == Self.lineFeed { readCount += 1 }
        }
        let end = nextLineEnd()
        guard (end ?? bytes.count) - readCount <= maximumBytes else {
            throw .lineTooLong(maximumBytes: maximumBytes)
        }
        guard let end else {
            searchedCount = bytes.count - readCount
            if searchedCount == 0 { removeReadBytes() }
            return nil
        }
        var line = readCount..<end
        searchedCount = 0
        followsCarriageReturn = bytes[end] == Self.carriageReturn
        readCount = end + 1
        if isFirstLine {
            isFirstLine = false
            if bytes[line].starts(with: Self.byteOrderMark) {
                line = line.lowerBound + Self.byteOrderMark.count..<line.upperBound
            }
        }
        return line
    }

    private func nextLineEnd() -> Int? {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            var index = readCount + searchedCount
            while index < bytes.count {
                let byte = unsafe bytes[index]
                if byte == Self.lineFeed || byte == Self.carriageReturn { return index }
                index += 1
            }
            return nil
        }
    }

    private mutating func removeReadBytes() {
        if readCount == bytes.count {
            bytes = []
        } else {
            bytes.removeFirst(readCount)
        }
        readCount = 0
    }

    /// Processes a line, and returns the element that it completes.
    private mutating func take(_ line: Range<Int>) throws(EventStreamError) -> Element? {
        guard !line.isEmpty else { return dispatch() }
        let colon = bytes[line].firstIndex(of: UInt8(ascii: ":"))
        let field = bytes[line.lowerBound..<(colon ?? line.upperBound)]
        var value = bytes[(colon.map { $0 + 1 } ?? line.upperBound)..<line.upperBound]
        if field.isEmpty { return .comment(String(decoding: value, as: UTF8.self)) }
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        if field.elementsEqual("data".utf8) {
            try append(data: value)
        } else if field.elementsEqual("event".utf8) {
            name = String(decoding: value, as: UTF8.self)
        } else if field.elementsEqual("id".utf8) {
            if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
        } else if field.elementsEqual("retry".utf8) {
            return Self.milliseconds(value).map { .retry(milliseconds: $0) }
        }
        return nil
    }

    private mutating func append(data line: ArraySlice<UInt8>) throws(EventStreamError) {
        guard let length = data?.count else {
            data = Array(line)
            return
        }
        guard length + 1 + line.count <= maximumBytes else {
            throw .dataTooLong(maximumBytes: maximumBytes)
        }
        // In place, so that the previous lines are not copied again.
        data?.append(Self.lineFeed)
        data?.append(contentsOf: line)
    }

    /// Ends an event; nil when it has no data.
    private mutating func dispatch() -> Element? {
        defer { (name, data) = ("", nil) }
        return data.map {
            .event(ServerEvent(name: name.isEmpty ? "message" : name, id: id, data: $0))
        }
    }

    /// nil unless the value is of digits only, which excludes a sign.
    private static func milliseconds(_ value: ArraySlice<UInt8>) -> Int? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard value.allSatisfy(digits.contains) else { return nil }
        return Int(String(decoding: value, as: UTF8.self))
    }
}

/// An event of a stream.
public struct ServerEvent: Sendable, Hashable {
    /// The kind of event; `message` unless the server names one.
    public var name: String

    /// The last ID of the stream so far, possibly of an earlier event; nil when there was none.
    public var id: String?

    /// The lines of the data, joined with line feeds.
    public var data: [UInt8]

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - name: The kind of event.
    ///   - id: The last ID of the stream.
    ///   - data: The data.
    public init(name: String = "message", id: String? = nil, data: [UInt8]) {
        self.name = name
        self.id = id
        self.data = data
    }

    /// ``data`` as text, with invalid UTF-8 replaced.
    public var text: String { String(decoding: data, as: UTF8.self) }
}

/// Why a stream cannot be parsed further.
public enum EventStreamError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A line exceeds the limit.
    case lineTooLong(maximumBytes: Int)
    /// The data of an event exceeds the limit.
    case dataTooLong(maximumBytes: Int)

    /// One sentence.
    public var description: String {
        switch self {
        case .lineTooLong(let maximum): "A line of the stream is longer than \(maximum) bytes."
        case .dataTooLong(let maximum): "The data of an event is longer than \(maximum) bytes."
        }
    }
}
