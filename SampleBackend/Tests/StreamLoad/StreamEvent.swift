import NIOCore

/// A type that is one event of a stream, as `text/event-stream` has it, or a heartbeat.
struct StreamEvent {
    /// What kind it is.
    enum Name: Hashable {
        /// The first event: which version is current.
        case hello
        /// What has changed in the user's document.
        case update
        /// That the client has to fetch.
        case reset
        /// That the server ends, and when to come back.
        case retry
        /// A comment line.
        case heartbeat
        /// One that HTTP 2 does not know.
        case unknown
    }

    /// What kind it is.
    var name = Name.unknown

    /// The version of the template; nil without a number.
    var id: Int?

    /// The line of data; it shares its bytes with what was read.
    var data = ByteBuffer()
}
