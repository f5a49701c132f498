package import NIOCore

/// Parses `text/event-stream` (HTML, 9.2.6) from bytes that are cut at any place.
///
/// Call ``next()`` until it returns nil after each ``append(_:)``. An event that the stream leaves
/// incomplete is dropped. Between two events no read bytes are kept.
package struct EventStreamParser: Sendable {
    /// What a stream consists of.
    package enum Element: Sendable, Hashable {
        case event(Event)

        /// The text after the colon; servers send comments as heartbeats.
        case comment(ByteBuffer)

        case retry(milliseconds: Int)
    }

    /// An event with data; others are not dispatched.
    package struct Event: Sendable, Hashable {
        package var name: String

        /// The last ID of the stream so far, which may be that of an earlier event; nil when there
        /// was none.
        package var id: String?

        /// The lines of the data, joined with line feeds; shares memory with the bytes that were
        /// read when it is a single line.
        package var data: ByteBuffer

        package init(name: String = "message", id: String? = nil, data: ByteBuffer) {
            self.name = name
            self.id = id
            self.data = data
        }
    }

    /// Maximum length of a line, and of the data of an event, in bytes.
    private let maximumBytes: Int

    /// The bytes after the last line that was read.
    private var unread = ByteBuffer()

    /// How many of them are known to hold no line end, so that a line that arrives in many pieces
    /// is searched once.
    private var searchedCount = 0

    /// Whether a line feed belongs to the end of the line before.
    private var followsCarriageReturn = false

    private var isFirstLine = true
    private var failure: EventStreamError?

    /// Fields of the incomplete event.
    private var name = ""
    private var id: String?
    private var data: ByteBuffer?

    package init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    package mutating func append(_ bytes: ByteBuffer) {
        guard failure == nil else { return }
        guard unread.readableBytes > 0 else {
            unread = bytes
            return
        }
        // Else a stream whose pieces never end with a line would keep everything.
        if unread.readerIndex > unread.readableBytes { unread.discardReadBytes() }
        unread.writeImmutableBuffer(bytes)
    }

    /// The next element, or nil until more bytes are appended.
    ///
    /// - Throws: When something is longer than allowed; the parser is of no use then.
    package mutating func next() throws(EventStreamError) -> Element? {
        if let failure { throw failure }
        do throws(EventStreamError) {
            while let line = try nextLine() {
                if let element = try take(line) { return element }
            }
            return nil
        } catch {
            failure = error
            (unread, data) = (ByteBuffer(), nil)
            throw error
        }
    }
}

extension EventStreamParser {
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    /// The next line without its end.
    private mutating func nextLine() throws(EventStreamError) -> ByteBuffer? {
        if followsCarriageReturn, let first = unread.readableBytesView.first {
            followsCarriageReturn = false
            if first == Self.lineFeed { unread.moveReaderIndex(forwardBy: 1) }
        }
        let length = lengthOfLine()
        guard length ?? unread.readableBytes <= maximumBytes else {
            throw .lineTooLong(maximumBytes: maximumBytes)
        }
        guard let length, var line = unread.readSlice(length: length) else {
            searchedCount = unread.readableBytes
            if searchedCount == 0 { unread = ByteBuffer() }
            return nil
        }
        searchedCount = 0
        followsCarriageReturn = unread.readInteger(as: UInt8.self) == Self.carriageReturn
        if isFirstLine {
            isFirstLine = false
            let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
            if line.readableBytesView.starts(with: byteOrderMark) {
                line.moveReaderIndex(forwardBy: byteOrderMark.count)
            }
        }
        return line
    }

    /// The bytes before the next line end, if there is one.
    private func lengthOfLine() -> Int? {
        let bytes = unread.readableBytesUInt8Span
        var index = searchedCount
        while index < bytes.count {
            if bytes[index] == Self.lineFeed || bytes[index] == Self.carriageReturn { return index }
            index += 1
        }
        return nil
    }

    /// Handles a line, and returns the element that it completes.
    private mutating func take(_ line: ByteBuffer) throws(EventStreamError) -> Element? {
        guard line.readableBytes > 0 else { return dispatch() }
        var value = line
        let nameLength = line.readableBytesView.firstIndex(of: UInt8(ascii: ":")).map {
            $0 - line.readerIndex
        }
        let field = line.readableBytesView.prefix(nameLength ?? line.readableBytes)
        value.moveReaderIndex(forwardBy: field.count + (nameLength == nil ? 0 : 1))
        if field.isEmpty { return .comment(value) }
        if value.readableBytesView.first == UInt8(ascii: " ") {
            value.moveReaderIndex(forwardBy: 1)
        }
        if field.elementsEqual("data".utf8) {
            try append(data: value)
        } else if field.elementsEqual("event".utf8) {
            name = String(buffer: value)
        } else if field.elementsEqual("id".utf8) {
            if !value.readableBytesView.contains(0) { id = String(buffer: value) }
        } else if field.elementsEqual("retry".utf8) {
            return Self.milliseconds(value).map { .retry(milliseconds: $0) }
        }
        return nil
    }

    private mutating func append(data line: ByteBuffer) throws(EventStreamError) {
        guard var lines = data else {
            data = line
            return
        }
        guard lines.readableBytes + 1 + line.readableBytes <= maximumBytes else {
            throw .dataTooLong(maximumBytes: maximumBytes)
        }
        // The only reference, so that the lines before are not copied again.
        data = nil
        lines.writeInteger(Self.lineFeed)
        lines.writeImmutableBuffer(line)
        data = lines
    }

    /// Ends an event; nil when it has no data.
    private mutating func dispatch() -> Element? {
        defer { (name, data) = ("", nil) }
        return data.map { .event(Event(name: name.isEmpty ? "message" : name, id: id, data: $0)) }
    }

    /// nil unless the value is of digits only, which excludes a sign.
    private static func milliseconds(_ value: ByteBuffer) -> Int? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard value.readableBytesView.allSatisfy(digits.contains) else { return nil }
        return Int(String(buffer: value))
    }
}

/// The reason why a stream cannot be parsed any further.
package enum EventStreamError: Error, Hashable, CustomStringConvertible {
    case lineTooLong(maximumBytes: Int)
    case dataTooLong(maximumBytes: Int)

    package var description: String {
        switch self {
        case .lineTooLong(let maximum): "A line of the stream is longer than \(maximum) bytes."
        case .dataTooLong(let maximum): "The data of an event is longer than \(maximum) bytes."
        }
    }
}
