import ActiveConfig
import Foundation
import NIOCore
import Rendering
import Templates

/// The encoded events of PROTOCOL 2 and of OFREP streams.
enum StreamEvents {
    /// The default delay before a client reconnects, in milliseconds.
    private static let retry = 2_000

    /// The first event, with the current version and the share of clients that should acknowledge
    /// versions; nil omits the share.
    ///
    /// `id` is the version from which a client resumes if it is disconnected before the next event.
    static func hello(
        id: Int, version: Int, acknowledgedShare: AcknowledgedShare?
    ) -> StreamEvent {
        // names: our own literals, in ASCII
        var data: [String: SettingValue] = ["template_version": .integer(version)]
        if let acknowledgedShare { data["acknowledge"] = .double(acknowledgedShare.share) }
        return StreamEvent(
            chunk: ServerSentEvent(
                name: "hello", id: "\(id)", retry: retry,
                data: ByteBuffer(bytes: SettingValue.object(data).jsonData())
            ).chunk)
    }

    /// Sets the version from which a client resumes, without an event, since nothing has changed
    /// for it.
    static func id(_ version: Int) -> StreamEvent {
        StreamEvent(chunk: EventChunk { $0.writeString("id: \(version)\n\n") })
    }

    /// The changes of a user's document; `basis` and `published` are the state after the change.
    ///
    /// Returns a `reset` when the user's ID is too long for the document; fetching it then fails.
    static func update(
        _ change: DocumentChange, number: Int, forUserID userID: String?, basis: DocumentBasis,
        in published: PublishedProject
    ) -> EventChunk {
        let version = published.compiled.version.number
        guard published.compiled.admits(userID: userID) else {
            return resetChunk(version: version)
        }
        let entityTag = published.entityTag(for: basis, userID: userID).entityTag
        return ServerSentEvent(
            name: "update", id: "\(version)",
            data: change.jsonBytes(
                forUserID: userID, entityTag: entityTag, version: version,
                eventNumber: number)
        ).chunk
    }

    /// Notifies the client to fetch its document, because the changes are unknown.
    ///
    /// `earlier` is the client's version if its document may be unchanged since then: a client that
    /// does not adopt the version of a 304 must not wait for a later one.
    static func reset(version: Int, since earlier: Int? = nil) -> StreamEvent {
        StreamEvent(chunk: resetChunk(version: version, since: earlier))
    }

    private static func resetChunk(version: Int, since earlier: Int? = nil) -> EventChunk {
        ServerSentEvent(
            name: "reset", id: "\(version)", data: versionData(earlier ?? version)
        ).chunk
    }

    /// Notifies an OpenFeature provider to evaluate again.
    static func refetch(_ version: TemplateVersion) -> EventChunk {
        let data: SettingValue = [
            "type": "refetchEvaluation",
            "etag": .string(SeenVersion.announcedTag(of: version)),
            "lastModified": .integer(version.updateSeconds),
        ]
        return ServerSentEvent(
            name: "message", id: "\(version.number)", data: ByteBuffer(bytes: data.jsonData())
        ).chunk
    }

    /// The last event, which asks the client to reconnect after a delay in milliseconds.
    static func goodbye(after milliseconds: Int) -> EventChunk {
        let data: SettingValue = ["after_ms": .integer(milliseconds)]
        return ServerSentEvent(
            name: "retry", retry: milliseconds, data: ByteBuffer(bytes: data.jsonData())
        ).chunk
    }

    /// `{"template_version": 7}`.
    private static func versionData(_ version: Int) -> ByteBuffer {
        let data: SettingValue = ["template_version": .integer(version)]
        return ByteBuffer(bytes: data.jsonData())
    }
}

/// An encoded event about the changes of one user.
struct StreamEvent {
    /// Nil for a long poll, which only needs to know that something changed.
    let chunk: EventChunk?

    /// The publication time of the event's version; nil when it announces none.
    var publication: Date?

    /// The size of the events without framing, in bytes.
    var size: Int { chunk?.events.readableBytes ?? 0 }

    private static let dataStart = Array("data: {".utf8)

    /// The event with `"user_id"` as the first member of its data; nil means the generic user.
    func naming(_ userID: String?) -> StreamEvent {
        guard let view = chunk?.events.readableBytesView,
            let start = view.firstRange(of: Self.dataStart)?.upperBound
        else { return self }
        let member = userID.map { SettingValue.string($0) } ?? .null
        let text = member.jsonData()
        let named = EventChunk { named in
            named.reserveCapacity(view.count + text.count + 32)
            named.writeBytes(view[..<start])
            named.writeString("\"user_id\":")
            named.writeBytes(text)
            // Events of users always have further members.
            named.writeString(",")
            named.writeBytes(view[start...])
        }
        return StreamEvent(chunk: named, publication: publication)
    }
}

/// One event in the format `text/event-stream`.
struct ServerSentEvent {
    let name: String

    /// The ID that a client sends back as `Last-Event-ID`; nil leaves the client's ID unchanged.
    var id: String?

    /// The client's delay before it reconnects, in milliseconds; nil leaves it unchanged.
    var retry: Int?

    /// One line of JSON, UTF-8.
    let data: ByteBuffer

    /// A comment line, which clients ignore; it prevents proxies from closing idle connections.
    static let heartbeat = EventChunk { $0.writeString(":\n\n") }

    /// The encoded event with the empty line that ends it.
    var chunk: EventChunk {
        EventChunk { bytes in
            bytes.reserveCapacity(data.readableBytes + 96)
            bytes.writeString("event: \(name)\n")
            if let id { bytes.writeString("id: \(id)\n") }
            if let retry { bytes.writeString("retry: \(retry)\n") }
            bytes.writeString("data: ")
            bytes.writeImmutableBuffer(data)
            bytes.writeString("\n\n")
        }
    }
}
