/// One event of a stream, as `text/event-stream` has it.
struct StreamEvent: Sendable, Hashable {
    /// Its name.
    var name = "message"

    /// The last identifier that the stream has named; nil when it has named none.
    var id: String?

    /// Its data, the lines joined.
    var data = ""
}
