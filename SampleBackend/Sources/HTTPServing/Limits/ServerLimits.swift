/// Limits on the resources of one connection, and of all connections together.
///
/// A request over a size limit is answered with 413 or 431, a body that is too slow with 408; the
/// connection is closed afterwards, as it is when any other time limit is exceeded. The requests of
/// a connection are answered one after the other; while one is answered, or an answer is not read,
/// nothing more is read from the connection (back-pressure).
public struct ServerLimits: Sendable, Hashable {
    /// Maximum bytes of a request line and its header fields together.
    ///
    /// The default, 128 KiB, has room for every signal at its limit in ASCII. It also bounds the
    /// request line and each single field.
    public var headerBytes = 131_072

    /// Maximum header fields of a request.
    public var headerFields = 200

    /// Maximum bytes of a request's body, chunked or not.
    public var bodyBytes = 65_536

    /// Maximum bytes of an administrator's request body, which may be a template.
    public var administratorBodyBytes = 16 << 20

    /// Maximum requests per second from one address, at least 1; nil means no limit.
    public var requestsPerSecond: Int?

    /// Maximum acknowledgements of versions per second from one address, at least 1.
    public var acknowledgementsPerSecond = 100

    /// Maximum attempts per second from one address to sign in to the console, at least 1.
    public var signInsPerSecond = 5

    /// Maximum requests per second from one address with an invalid administrator's token or
    /// session, at least 1.
    ///
    /// The burst is ten times as large. Requests with valid credentials are not limited.
    public var wrongTokensPerSecond = 100

    /// Maximum time to receive a whole request head, on a new or a kept-alive connection.
    ///
    /// It also closes connections whose client sends the head byte by byte.
    public var idleTime: Duration = .seconds(60)

    /// Maximum time to receive a body after its head.
    public var bodyTime: Duration = .seconds(30)

    /// Maximum time that a client may leave an answer unread once the socket's buffers are full.
    public var unreadTime: Duration = .seconds(30)

    /// Time that the server keeps reading after its last answer.
    ///
    /// A client that is still sending can thus read the answer before the connection is closed.
    public var lingerTime: Duration = .seconds(2)

    /// Grace period for requests in flight after the server is told to stop.
    public var shutdownTime: Duration = .seconds(7)

    /// Interval between the comment lines that keep an idle stream alive (PROTOCOL 2).
    public var heartbeatInterval: Duration = .seconds(15)

    /// Maximum bytes of events queued for a client that does not read; over it, the client is cut
    /// off.
    ///
    /// A single event may be larger.
    public var streamQueueBytes = 256 << 10

    /// Bytes of events queued for a stream of many users; beyond, a `reset` stands for the events of
    /// each further user.
    ///
    /// A client that takes nothing for ``unreadTime`` is cut off.
    public var usersStreamQueueBytes = 4 << 20

    /// Maximum users of all streams of many users together; a further stream is answered with 503.
    public var streamUsers = 100_000

    /// Maximum bytes of the request for a stream of many users.
    public var usersBodyBytes = 4 << 20

    /// Maximum streams and long polls of one address, IPv6 by its 64-bit prefix; nil means no limit.
    ///
    /// A further one is answered with 429.
    public var streamsPerAddress: Int?

    /// Maximum age of a stream; nil means no limit.
    ///
    /// The stream ends at a random time in the last quarter of it, and its client is told to
    /// reconnect. The stream of a client with a token ends with the token, if that is sooner.
    public var streamMaximumAge: Duration? = .seconds(3_600)

    /// Maximum bytes over all connections of answers and events that clients do not read, of bodies
    /// that they have not sent whole, and of requests that they sent ahead.
    ///
    /// Over it, the connections with the oldest such data are closed. A buffer that several
    /// connections share, such as a cached document, counts once; with TLS, it counts once for each
    /// connection.
    public var clientBacklogBytes = 128 << 20

    /// Maximum bytes of the body of any answer or request: half of ``clientBacklogBytes``.
    ///
    /// One client thus does not cut off every other one. A larger body is refused with 413.
    public var messageBytes: Int { clientBacklogBytes / 2 }

    /// Creates the default limits, which suit a server on the open Internet.
    public init() {}
}
