/// What is known about the client of a connection across its requests.
struct Peer: Sendable {
    /// Nil for a Unix domain socket or without a connection.
    var address: IPAddress?

    /// The last accepted value of `Host`; nil at first.
    var acceptedHost: String?

    let carried = CarriedValue()
}
