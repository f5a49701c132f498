import ActiveConfigEventStream
import ChunkedBodies
import Foundation
package import JSONTree
import NIOCore

/// Reads a server's event stream, one event at a time.
package final class EventStreamClient {
    /// An event, or a comment.
    package struct Event: Sendable, Hashable {
        package var name: String?
        package var id: String?

        /// The reconnection delay in milliseconds, if one arrived since the last event.
        package var retry: Int?
        package var data: JSONNode?

        /// The text of a comment; then all other properties are empty.
        package var comment: String?
    }

    private static let maximumBytes = 64 << 20

    /// The head of the response.
    package let head: String

    private let connection: HTTPConnection
    private var parser = EventStreamParser(maximumBytes: maximumBytes)

    /// The framing of the events; nil for a response that is not chunked.
    private var body: ChunkedBody?

    /// The reconnection delay since the last event.
    private var retry: Int?

    private init(head: String, connection: HTTPConnection) {
        self.head = head
        self.connection = connection
        body = head.lowercased().contains("transfer-encoding: chunked") ? ChunkedBody() : nil
    }

    /// True once the server has ended the stream properly.
    package var isComplete: Bool { body?.isComplete ?? false }

    /// Opens a stream while `body` uses it, and closes the connection afterwards.
    package static func open<Result>(
        port: Int, _ target: String, method: String = "GET", fields: [String] = [],
        content: String = "", _ body: (EventStreamClient) async throws -> Result
    ) async throws -> Result {
        try await HTTPConnection.open(port: port) { connection in
            connection.send(method: method, target: target, fields: fields, body: content)
            let head = try await connection.receive(through: "\r\n\r\n")
            return try await body(EventStreamClient(head: head, connection: connection))
        }
    }

    /// Returns the next event or comment; throws if the server closes the connection before.
    package func nextOrComment() async throws -> Event {
        while true {
            if let event = try nextOfParser() { return event }
            guard let bytes = await connection.receiveBytes() else {
                throw HTTPConnection.Failure.closedEarly("a stream")
            }
            try take(bytes)
        }
    }

    private func take(_ bytes: ByteBuffer) throws {
        parser.append(try body?.read(bytes).readableBytesView ?? bytes.readableBytesView)
    }

    /// Returns the next event, skipping comments; throws if the server closes the connection
    /// before.
    package func next() async throws -> Event {
        while true {
            let event = try await nextOrComment()
            if event.comment == nil { return event }
        }
    }

    /// Returns once the server has closed the stream, with the remaining events.
    package func receiveEnd() async throws -> [Event] {
        while let bytes = await connection.receiveBytes() { try take(bytes) }
        var events: [Event] = []
        while let event = try nextOfParser() { events.append(event) }
        return events
    }

    private func nextOfParser() throws -> Event? {
        while let element = try parser.next() {
            switch element {
            case .retry(let milliseconds): retry = milliseconds
            case .comment(let text): return Event(comment: text)
            case .event(let event):
                defer { retry = nil }
                return Event(
                    name: event.name, id: event.id, retry: retry,
                    data: try JSONNode(jsonData: Data(event.data)))
            }
        }
        return nil
    }
}

@available(*, unavailable)
extension EventStreamClient: Sendable {}
