/// What a server does for webhooks (HTTP 3).
public struct WebhookConfiguration: Sendable {
    /// Whether webhooks may be on private networks and on this machine; then whoever may make one
    /// can have this server send requests there.
    public var allowsPrivateAddresses = false

    /// When a delivery is tried again.
    package var schedule = DeliverySchedule()

    /// How long to wait for an answer.
    package var timeout: Duration = .seconds(10)

    /// The pause between two looks for what is due.
    package var pollInterval: Duration = .milliseconds(500)

    /// Finds the addresses of a host.
    package var resolve: @Sendable (_ host: String) async throws -> [NetworkAddress] =
        HostAddresses.resolve

    /// Makes the configuration of a server that sends to the open Internet only.
    public init() {}
}
