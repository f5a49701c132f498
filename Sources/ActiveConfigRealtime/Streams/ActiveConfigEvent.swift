public import ActiveConfigEventStream

/// Something that arrives on a stream of changes.
///
/// A source of the app's own, such as one over a WebSocket, makes the events of the *Client protocol*,
/// section 2, by `ServerEvent` of `ActiveConfigEventStream`:
///
/// ```swift
/// let payload = Array(#"{"template_version": 8, "sections": {}}"#.utf8)
/// let update = ActiveConfigEvent(.event(ServerEvent(name: "update", id: "8", data: payload)))
/// let heartbeat = ActiveConfigEvent(.comment(""))
/// ```
public struct ActiveConfigEvent: Sendable, Hashable {
    /// An event, a comment, which is a heartbeat, or a delay before the next connection; nil when a part
    /// of one has arrived.
    public let element: EventStreamParser.Element?

    /// The number of bytes that have arrived since the event before.
    ///
    /// An updater ends a stream that brings more than eight documents' sizes in a minute.
    public let byteCount: Int

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - element: What has arrived; nil is a part of it.
    ///   - byteCount: The number of bytes that have arrived since the event before; by default about as
    ///     many as the element has.
    public init(_ element: EventStreamParser.Element?, byteCount: Int? = nil) {
        self.element = element
        // So that a sum of two is a number, too.
        self.byteCount = min(max(byteCount ?? element?.size ?? 0, 0), .max / 2)
    }
}

extension EventStreamParser.Element {
    /// The length of the names of an event's fields, about.
    private static let fieldsSize = 24

    fileprivate var size: Int {
        switch self {
        case .comment(let text): text.utf8.count + 3
        case .retry: Self.fieldsSize
        case .event(let event):
            event.name.utf8.count + (event.id?.utf8.count ?? 0) + event.data.count + Self.fieldsSize
        }
    }
}
