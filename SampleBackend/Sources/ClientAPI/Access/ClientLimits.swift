/// Limits on streams, long polls and acknowledgements of clients.
public struct ClientLimits: Sendable, Hashable {
    /// Maximum acknowledgements of versions per second from one address, at least 1.
    public var acknowledgementsPerSecond = 100

    /// Interval of the comment lines that keep an idle stream alive (PROTOCOL 2).
    public var heartbeatInterval: Duration = .seconds(15)

    /// Maximum bytes of events queued for a client that does not read; beyond it the client is
    /// disconnected.
    ///
    /// A single event may be larger.
    public var streamQueueBytes = 256 << 10

    /// Bytes of events queued for a stream of many users; beyond it, each further user's events are
    /// replaced with a `reset`.
    ///
    /// A client that reads nothing for ``ServerLimits/unreadTime`` is disconnected.
    public var usersStreamQueueBytes = 4 << 20

    /// Maximum number of users over all streams of many users; a further stream is answered with
    /// 503.
    public var streamUsers = 100_000

    /// Maximum bytes of the request for a stream of many users.
    public var usersBodyBytes = 4 << 20

    /// Maximum number of streams and long polls per address, where IPv6 counts by 64-bit prefix;
    /// nil means no limit.
    ///
    /// A further one is answered with 429.
    public var streamsPerAddress: Int?

    /// Maximum age of a stream; nil means no limit.
    ///
    /// The stream ends at a random time in the last quarter of this age, and asks its client to
    /// reconnect. The stream of a client with a token ends when the token expires, if that is
    /// earlier.
    public var streamMaximumAge: Duration? = .seconds(3_600)

    /// Creates the default limits, which suit a server on the open Internet.
    public init() {}
}
