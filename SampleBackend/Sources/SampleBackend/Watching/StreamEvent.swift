/// An event of a `text/event-stream`.
struct StreamEvent: Sendable, Hashable {
    var name = "message"

    /// The last identifier of the stream so far; nil when it sent none.
    var id: String?

    /// The lines of the data, joined with line feeds.
    var data = ""
}
