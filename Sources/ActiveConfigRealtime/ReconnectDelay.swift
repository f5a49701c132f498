import ActiveConfig

/// Decides how long a client waits before reconnecting, so that clients synchronized by a server or
/// a clock spread out.
///
/// Half of each wait is fixed and half random. It doubles with each failure, and is reset only
/// after a connection was open for a minute: a server that accepts and closes at once does not
/// count as success.
struct ReconnectDelay: Sendable {
    /// A connection open for this long counts as a success.
    static let successTime = Duration.seconds(60)
    /// The bounds of the first wait, which a server may set by `retry:`.
    static let bases: ClosedRange<Duration> = .seconds(1) ... .seconds(300)
    /// The longest wait that a server can request.
    static let longestAsked = Duration.seconds(60 * 60)

    private(set) var failureCount = 0
    private var base = Duration.seconds(1)
    private let maximum: Duration
    private var random: RandomSource

    init(maximum: Duration, random: any RandomNumberGenerator & Sendable) {
        self.maximum = max(maximum, .seconds(1))
        self.random = RandomSource(base: random)
    }

    /// Sets the first wait; 0 does not mean no wait.
    mutating func setBase(milliseconds: Int) {
        base = .milliseconds(min(max(milliseconds, 0), 1_000_000))
        base = min(max(base, Self.bases.lowerBound), Self.bases.upperBound)
    }

    /// The wait after a connection that has ended or failed.
    ///
    /// - Parameters:
    ///   - openTime: How long the connection was open.
    ///   - asked: The wait that the server requested.
    /// - Returns: The wait.
    mutating func next(afterOpen openTime: Duration, asked: Duration?) -> Duration {
        if openTime >= Self.successTime { failureCount = 0 }
        let limit = min(base * (1 << min(failureCount, 20)), max(maximum, base))
        failureCount += 1
        let own = limit / 2 + random(upTo: limit / 2)
        guard let asked else { return own }
        // The server may have requested the same time of all clients.
        let wanted = min(max(asked, .zero), Self.longestAsked)
        return max(own, wanted + random(upTo: max(wanted / 10, .milliseconds(500))))
    }

    /// A random time from zero to a limit.
    mutating func random(upTo limit: Duration) -> Duration {
        guard limit > .zero else { return .zero }
        // Microseconds are precise enough; with milliseconds clients would collide.
        let count =
            limit.components.seconds * 1_000_000
            + limit.components.attoseconds / 1_000_000_000_000
        return .microseconds(Int64.random(in: 0...max(count, 1), using: &random))
    }
}

/// Any generator as one type.
private struct RandomSource: RandomNumberGenerator, Sendable {
    var base: any RandomNumberGenerator & Sendable

    mutating func next() -> UInt64 { base.next() }
}
