import ActiveConfigEventStream

/// An event of a stream (PROTOCOL 2).
struct StreamEvent {
    enum Name: Hashable {
        /// The first event, with the current version.
        case hello
        /// Changes of the user's document.
        case update
        /// The client must download the document.
        case reset
        /// The server ends the stream; contains the reconnection delay.
        case retry
        /// An event that PROTOCOL 2 does not define.
        case unknown
    }

    let name: Name

    /// The last version of the template in the stream; nil without a number.
    let id: Int?

    let data: [UInt8]

    init(_ event: ServerEvent) {
        name =
            switch event.name {
            case "hello": .hello
            case "update": .update
            case "reset": .reset
            case "retry": .retry
            default: .unknown
            }
        id = event.id.flatMap { Int($0) }
        data = event.data
    }
}
