/// Limits on the resources of each connection and of all connections together.
///
/// A request that exceeds a size limit is answered with 413 or 431, a body that is too slow with
/// 408; then the connection is closed. Exceeding any other time limit closes the connection without
/// an answer. The requests of a connection are answered one at a time. While a request is being
/// answered, or the client leaves an answer unread, the server does not read from the connection
/// (back-pressure).
public struct ServerLimits: Sendable, Hashable {
    /// Maximum bytes of a request line and its header fields together.
    ///
    /// The default, 128 KiB, has room for every signal at its maximum length in ASCII. The limit
    /// also applies to the request line and to each field alone.
    public var headerBytes = 131_072

    /// Maximum number of header fields of a request.
    public var headerFields = 200

    /// Maximum bytes of a request body, chunked or not.
    public var bodyBytes = 65_536

    /// Maximum requests per second from one address, at least 1; nil means no limit.
    public var requestsPerSecond: Int?

    /// Maximum time to receive a complete request head, on a new or a kept-alive connection.
    ///
    /// It also closes connections whose client sends the head byte by byte.
    public var idleTime: Duration = .seconds(60)

    /// Maximum time to receive a body after its head.
    public var bodyTime: Duration = .seconds(30)

    /// Maximum time that a client may leave an answer unread once the socket's buffers are full.
    public var unreadTime: Duration = .seconds(30)

    /// Time that the server keeps reading after its last answer.
    ///
    /// A client that is still sending can read the answer before the connection is closed.
    public var lingerTime: Duration = .seconds(2)

    /// Grace period for requests in flight after a shutdown starts.
    public var shutdownTime: Duration = .seconds(7)

    /// Maximum bytes, over all connections, of answers and events that clients do not read, of
    /// incomplete request bodies, and of pipelined requests.
    ///
    /// When it is exceeded, the connections with the oldest such data are closed. A buffer that
    /// several connections share, such as a cached document, counts once; with TLS it counts once
    /// per connection.
    public var clientBacklogBytes = 128 << 20

    /// Maximum bytes of any single answer's or request's body: half of ``clientBacklogBytes``.
    ///
    /// With this limit, one client cannot make the server disconnect all others. A larger body is
    /// refused with 413.
    public var messageBytes: Int { clientBacklogBytes / 2 }

    /// Creates the default limits, which suit a server on the open Internet.
    public init() {}
}
