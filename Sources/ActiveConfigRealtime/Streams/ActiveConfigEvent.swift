public import ActiveConfigEventStream

/// An element that arrives on a stream of changes.
///
/// A custom source, such as one over a WebSocket, creates the events of the *Client protocol*,
/// section 2, with `ServerEvent` of `ActiveConfigEventStream`:
///
/// ```swift
/// let payload = Array(#"{"template_version": 8, "sections": {}}"#.utf8)
/// let update = ActiveConfigEvent(.event(ServerEvent(name: "update", id: "8", data: payload)))
/// let heartbeat = ActiveConfigEvent(.comment(""))
/// ```
public struct ActiveConfigEvent: Sendable, Hashable {
    /// An event, a comment (heartbeat), or a delay before the next connection; nil when a part of
    /// one has arrived.
    public let element: EventStreamParser.Element?

    /// The number of bytes that arrived since the previous event.
    ///
    /// An updater ends a stream that sends more than the size of eight documents in a minute.
    public let byteCount: Int

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - element: The element; nil is a part of one.
    ///   - byteCount: The number of bytes that arrived since the previous event; by default
    ///     approximately the size of the element.
    public init(_ element: EventStreamParser.Element?, byteCount: Int? = nil) {
        self.element = element
        // Clamped, so that the sum of two does not overflow.
        self.byteCount = min(max(byteCount ?? element?.size ?? 0, 0), .max / 2)
    }
}

extension EventStreamParser.Element {
    /// The approximate length of the names of an event's fields.
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
