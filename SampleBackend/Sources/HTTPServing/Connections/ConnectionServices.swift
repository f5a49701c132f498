/// What all connections of a server share.
package struct ConnectionServices: Sendable {
    package let limits: ServerLimits
    package let dispatcher: RequestDispatcher
    /// Bounds the memory of what waits for clients.
    package let backlog: ClientBacklog
    /// Makes room for new connections; nil when nothing bounds them.
    package let places: ConnectionPlaces?
    /// The value of `Date` of answers.
    let date = DateField()

    package init(limits: ServerLimits, maximumConnections: Int?, dispatcher: RequestDispatcher) {
        self.limits = limits
        self.dispatcher = dispatcher
        backlog = ClientBacklog(limit: limits.clientBacklogBytes)
        places = maximumConnections.map { ConnectionPlaces(maximum: $0) }
    }
}
