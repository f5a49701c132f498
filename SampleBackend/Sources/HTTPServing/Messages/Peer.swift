/// The client of a connection, as known from one request to the next.
struct Peer: Sendable {
    /// Nil for a Unix domain socket, and when there is no connection.
    var address: ClientAddress?

    /// The value of `Host` of the last request that was accepted for it; nil before.
    var acceptedHost: String?

    let carried = CarriedValue()
}
