import Foundation
import JSONTree
import NIOCore
import OrderedCollections

/// A type that is the data of an event, kept until there is time to check it.
struct Payload {
    /// The number of the client that got it.
    let client: Int

    /// The event it was in.
    let name: StreamEvent.Name

    /// The event's ID.
    let id: Int?

    /// A copy of the data, so that what was read around it is let go.
    let data: ByteBuffer

    /// Takes the data of an event.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - client: The number of the client that got it.
    init(_ event: StreamEvent, client: Int) {
        self.client = client
        name = event.name
        id = event.id
        data = ByteBuffer(buffer: event.data)
    }

    /// What is wrong with the data, or nil when it is as HTTP 2 has it.
    var fault: String? {
        guard let json = try? JSONNode(jsonData: Data(data.readableBytesView)) else {
            return "the data of \(name) is not JSON"
        }
        guard json["template_version"]?.integerValue == id else {
            return "template_version of \(name) is not its ID"
        }
        guard name == .update else { return nil }
        guard json["etag"]?.stringValue?.isEmpty == false else { return "update without etag" }
        guard json["sections"]?.objectValue?.isEmpty == false else {
            return "update without sections"
        }
        return nil
    }

    /// When the server wants a client back.
    ///
    /// - Parameter data: The data of `retry`.
    /// - Returns: Milliseconds, or nil when it does not say.
    static func delay(_ data: ByteBuffer) -> Int? {
        let json = try? JSONNode(jsonData: Data(data.readableBytesView))
        return json?["after_ms"]?.integerValue.flatMap { $0 >= 0 ? $0 : nil }
    }
}
