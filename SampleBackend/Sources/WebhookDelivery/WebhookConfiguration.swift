/// The delivery of webhooks (HTTP 3).
public struct WebhookConfiguration: Sendable {
    /// Whether webhooks may point at private networks and at this machine.
    ///
    /// If so, everybody who may add a webhook can make this server send requests there.
    public var allowsPrivateAddresses = false

    package var schedule = DeliverySchedule()

    /// Time limit for an attempt, including name resolution.
    package var timeout: Duration = .seconds(10)

    /// Interval between two polls for due deliveries.
    package var pollInterval: Duration = .milliseconds(500)

    /// Resolves the addresses of a host.
    package var resolve: @Sendable (_ host: String) async throws -> [NetworkAddress] =
        HostAddresses.resolve

    /// Creates a configuration that delivers to publicly routable addresses only.
    public init() {}
}
