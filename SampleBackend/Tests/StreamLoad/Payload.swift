import Foundation
import JSONTree

/// Data of an event, kept for a later check.
struct Payload {
    /// Number of the client that received it.
    let client: Int

    /// Name of its event.
    let name: StreamEvent.Name

    /// ID of its event.
    let id: Int?

    /// The version from which the client resumed, which the ID of a `hello` repeats; nil for a new
    /// client, and for other events.
    let resumedVersion: Int?

    let data: [UInt8]

    /// Keeps the data of an event that the client with number `client` received.
    init(_ event: StreamEvent, client: Int, resumedVersion: Int?) {
        self.client = client
        name = event.name
        id = event.id
        self.resumedVersion = resumedVersion
        data = event.data
    }

    /// A violation of PROTOCOL 2 in the data; nil if there is none.
    var fault: String? {
        guard let json = try? JSONNode(jsonData: Data(data)) else {
            return "the data of \(name) is not JSON"
        }
        guard let version = json["template_version"]?.integerValue,
            id == version || name == .hello && id == resumedVersion
        else {
            return "template_version of \(name) is not its ID"
        }
        guard name == .update else { return nil }
        guard json["etag"]?.stringValue?.isEmpty == false else { return "update without etag" }
        guard json["sections"]?.objectValue?.isEmpty == false else {
            return "update without sections"
        }
        return nil
    }

    /// The delay in milliseconds in the data of a `retry` event; nil if there is none.
    static func delay(_ data: [UInt8]) -> Int? {
        let json = try? JSONNode(jsonData: Data(data))
        return json?["after_ms"]?.integerValue.flatMap { $0 >= 0 ? $0 : nil }
    }
}
