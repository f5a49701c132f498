import Foundation
package import JSONTree

/// Client of a server's event stream.
package struct EventStreamClient {
    package struct Event: Sendable, Hashable {
        package var name: String?
        package var id: String?
        /// Delay before reconnecting, in milliseconds.
        package var retry: Int?
        package var data: JSONNode?
        /// Comment, if the event consists of nothing else.
        package var comment: String?
    }

    /// Head of the response.
    package let head: String

    private let connection: HTTPConnection

    /// Opens a stream while `body` uses it, and closes the connection afterwards.
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

    /// Receives the next event or comment, and throws if the server closes the stream before.
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

    /// Receives the next event that is no comment, and throws if the server closes the stream
    /// before.
    package func next() async throws -> Event {
        while true {
            let event = try await nextOrComment()
            if event.comment == nil { return event }
        }
    }

    /// Waits until the server has closed the stream, and returns the remaining text.
    package func receiveEnd() async -> String {
        await connection.receiveEnd()
    }
}

@available(*, unavailable)
extension EventStreamClient: Sendable {}
