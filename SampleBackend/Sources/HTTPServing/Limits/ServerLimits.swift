/// Bounds what one connection may cost the server, and all of them together.
///
/// What is over a size is answered with 413 or 431 (HTTP), a body that is too slow with 408;
/// then, and when any other time is over, the connection is closed. Requests of one connection are
/// answered one after the other; while one is answered, or an answer is not read, nothing more is
/// read from it.
public struct ServerLimits: Sendable, Hashable {
    /// The most bytes of a request line and its header fields together.
    ///
    /// The default, 128 KiB, has room for every signal at its limit in ASCII. It bounds a single
    /// field, and the request line, as well.
    public var headerBytes = 131_072

    /// The most header fields of a request.
    public var headerFields = 200

    /// The most bytes of a request's body, chunked or not.
    public var bodyBytes = 65_536

    /// The most bytes of an administrator's body, which may be a template.
    public var administratorBodyBytes = 16 << 20

    /// The most requests a second from one address; nil means that there is no limit.
    public var requestsPerSecond: Int?

    /// The most attempts a second from one address to sign in to the console.
    public var signInsPerSecond = 5

    /// The most requests a second from one address with an administrator's token or session that does
    /// not count.
    ///
    /// Ten times as many may come at once. Requests with those that count are not bounded.
    public var wrongTokensPerSecond = 100

    /// How long a connection may stay without a whole request head: a new one, one that is kept
    /// alive, and one that sends its head byte by byte.
    public var idleTime: Duration = .seconds(60)

    /// How long a body may take after its head.
    public var bodyTime: Duration = .seconds(30)

    /// How long a client may leave an answer unread once the socket's buffers are full.
    public var unreadTime: Duration = .seconds(30)

    /// How long the server goes on reading after its last answer, so that a client that is still
    /// sending gets to see it.
    public var lingerTime: Duration = .seconds(2)

    /// How long requests in flight may take once the server is told to stop.
    public var shutdownTime: Duration = .seconds(7)

    /// How often a stream that has nothing to tell sends a line to stay alive (HTTP 2).
    public var heartbeatInterval: Duration = .seconds(15)

    /// The most bytes of events that wait for a client that does not read; then it is cut off.
    ///
    /// A single event may be larger.
    public var streamQueueBytes = 256 << 10

    /// The most streams of one address, IPv6 by the first 64 bits; nil means that there is no limit.
    ///
    /// Another one is answered with 429.
    public var streamsPerAddress: Int?

    /// How long a stream may stay open at most; nil means that there is no limit.
    ///
    /// It ends some time in the last quarter of that, and its client is told to come back. A stream
    /// whose client has a token ends with the token, if that is sooner.
    public var streamMaximumAge: Duration? = .seconds(3_600)

    /// The most bytes of answers and events that clients do not read, and of requests that they
    /// sent ahead, over all connections.
    ///
    /// Over it, the connections that have kept something waiting longest are closed. What several
    /// connections wait to send, such as a cached document, counts once; with TLS, for each.
    public var clientBacklogBytes = 128 << 20

    /// The limits that fit a server on the open Internet; change those that do not.
    public init() {}
}
