import ActiveConfig

/// Decides how long a client waits before it connects again, so that many clients that a server or a
/// clock has synchronized spread out.
///
/// Half of each wait is fixed and half random. It doubles with each failure, and starts over only once
/// a connection was open for a minute: a server that accepts and closes at once is no success.
struct ReconnectDelay: Sendable {
    /// A connection that was open for this long counts as a success.
    static let successTime = Duration.seconds(60)
    /// The bounds of the first wait, which a server may set by `retry:`.
    static let bases: ClosedRange<Duration> = .seconds(1) ... .seconds(300)
    /// The longest wait that a server may ask for.
    static let longestAsked = Duration.seconds(60 * 60)

    private(set) var failureCount = 0
    private var base = Duration.seconds(1)
    private let maximum: Duration
    private var random: RandomSource

    init(maximum: Duration, random: any RandomNumberGenerator & Sendable) {
        self.maximum = max(maximum, .seconds(1))
        self.random = RandomSource(base: random)
    }

    /// Sets the first wait; 0 is not no wait.
    mutating func setBase(milliseconds: Int) {
        base = .milliseconds(min(max(milliseconds, 0), 1_000_000))
        base = min(max(base, Self.bases.lowerBound), Self.bases.upperBound)
    }

    /// The wait after a connection that has ended or failed.
    ///
    /// - Parameters:
    ///   - openTime: How long the connection was open.
    ///   - asked: The time that the server asked for.
    /// - Returns: The wait.
    mutating func next(afterOpen openTime: Duration, asked: Duration?) -> Duration {
        if openTime >= Self.successTime { failureCount = 0 }
        let limit = min(base * (1 << min(failureCount, 20)), max(maximum, base))
        failureCount += 1
        let own = limit / 2 + random(upTo: limit / 2)
        guard let asked else { return own }
        // All clients may have been told the same time.
        let wanted = min(max(asked, .zero), Self.longestAsked)
        return max(own, wanted + random(upTo: max(wanted / 10, .milliseconds(500))))
    }

    /// A random time from zero to a limit.
    mutating func random(upTo limit: Duration) -> Duration {
        guard limit > .zero else { return .zero }
        // Microseconds are fine enough, and milliseconds would let clients meet.
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
