import ActiveConfigEventStream

/// An event of PROTOCOL 2.
struct StreamEvent {
    enum Name: Hashable {
        /// The first event: which version is current.
        case hello
        /// What has changed in the user's document.
        case update
        /// That the client has to fetch.
        case reset
        /// That the server ends, and when to come back.
        case retry
        /// One that PROTOCOL 2 does not know.
        case unknown
    }

    let name: Name

    /// The version of the template that the stream named last; nil without a number.
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
