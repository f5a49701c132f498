import Foundation
package import JSONTree

/// A type that reads a server's stream of events, one after the other.
package struct EventStreamClient {
    /// One event.
    package struct Event: Sendable, Hashable {
        /// Its name.
        package var name: String?
        /// Its identifier.
        package var id: String?
        /// What it tells of when to connect again, in milliseconds.
        package var retry: Int?
        /// Its data.
        package var data: JSONNode?
        /// The comment, when it is nothing else.
        package var comment: String?
    }

    /// The head of the response.
    package let head: String

    private let connection: HTTPConnection

    /// Opens a stream.
    ///
    /// - Parameters:
    ///   - port: The server's port.
    ///   - target: The path and the query.
    ///   - fields: Further fields.
    ///   - body: Uses the stream; the connection is closed afterwards.
    /// - Returns: What the body returns.
    /// - Throws: What connecting or the body throws.
    package static func open<Result>(
        port: Int, _ target: String, fields: [String] = [],
        _ body: (EventStreamClient) async throws -> Result
    ) async throws -> Result {
        try await HTTPConnection.open(port: port) { connection in
            connection.send(target: target, fields: fields)
            let head = try await connection.receive(through: "\r\n\r\n")
            return try await body(EventStreamClient(head: head, connection: connection))
        }
    }

    /// The next event, comments included.
    ///
    /// - Returns: The event.
    /// - Throws: When the server closes before.
    package func nextOrComment() async throws -> Event {
        var event = Event()
        for line in try await connection.receive(through: "\n\n").split(separator: "\n") {
            if line.first == ":" {
                event.comment = String(line.dropFirst())
                continue
            }
            let parts = line.split(separator: ":", maxSplits: 1)
            let value = parts.count > 1 ? String(parts[1].trimmingPrefix(" ")) : ""
            switch parts[0] {
            case "event": event.name = value
            case "id": event.id = value
            case "retry": event.retry = Int(value)
            case "data": event.data = try JSONNode(jsonData: Data(value.utf8))
            default: break
            }
        }
        return event
    }

    /// The next event that is no comment.
    ///
    /// - Returns: The event.
    /// - Throws: When the server closes before.
    package func next() async throws -> Event {
        while true {
            let event = try await nextOrComment()
            if event.comment == nil { return event }
        }
    }

    /// Returns once the server has closed the stream.
    ///
    /// - Returns: What it had still sent.
    package func receiveEnd() async -> String {
        await connection.receiveEnd()
    }
}

@available(*, unavailable)
extension EventStreamClient: Sendable {}
