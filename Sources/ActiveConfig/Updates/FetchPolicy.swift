import Foundation

/// How often an ``ActiveConfig/ActiveConfig`` may ask the server.
///
/// ```swift
/// var options = ActiveConfigOptions()
/// options.fetchPolicy = .minimumInterval(.seconds(3_600))
/// ```
///
/// Within the interval a download ends with ``DownloadOutcome/withinInterval``, without a request. It
/// asks all the same when the app's version or build, or the downloader's
/// ``ActiveConfigDownloader/requestDigest``, such as of signals, is another one than at the user's
/// last download, and after `markStale()`.
///
/// With a ``Backoff``, a failure makes all downloads of the installation wait: they throw
/// ``DownloadError/Code/throttled`` until ``ConfigurationStatus/throttledUntil``. No answer
/// stops a client for good.
///
/// Both are kept across launches, by the device's clock. An interval counts only while the clock
/// shows a time between its start and its end, so that a clock that was set does not prolong it. A wait
/// that by the clock has not begun yet, since it was set back, begins anew, once, with its full length;
/// one that is over, since it was set forward, is over: the next failure begins a longer one.
public struct FetchPolicy: Sendable {
    /// The time after a download within which the next one of the same user makes no request.
    public var minimumInterval: Duration
    /// The waits after failures; nil never waits.
    public var backoff: Backoff?
    /// The app's version and build.
    package var appVersion: @Sendable () -> String = {
        let platform = PlatformSignals.current
        return [platform.appVersion, platform.appBuild].map { $0 ?? "" }.joined(separator: " ")
    }

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - minimumInterval: The time after a download within which the next one of the same user
    ///     makes no request; zero and less is none.
    ///   - backoff: The waits after failures; nil never waits.
    public init(minimumInterval: Duration, backoff: Backoff? = Backoff()) {
        self.minimumInterval = minimumInterval
        self.backoff = backoff
    }

    /// Every download asks, whatever happened before: the default.
    public static let always = FetchPolicy(minimumInterval: .zero, backoff: nil)

    /// 12 hours, and waits of up to 4 hours after failures, as Firebase Remote Config has it.
    public static let firebase = FetchPolicy(minimumInterval: .seconds(12 * 60 * 60))

    /// A minimum interval, and waits of up to 4 hours after failures.
    ///
    /// - Parameter interval: The time after a download within which the next one of the same user
    ///   makes no request.
    /// - Returns: The policy.
    public static func minimumInterval(_ interval: Duration) -> FetchPolicy {
        FetchPolicy(minimumInterval: interval)
    }
}

extension FetchPolicy {
    /// Exponential waits with full jitter.
    ///
    /// Each is drawn between zero and a limit, which doubles with every failure in a row. So clients
    /// that failed at the same time come back at different ones.
    ///
    /// `Retry-After` of the server makes a wait longer, up to ``maximum`` and a tenth. An answer 4xx
    /// (other than 408 and 429) is unlikely to be another one soon: the wait is at least half of
    /// ``maximum`` at once; after 401 and 404, whose causes may end any minute, half of five minutes
    /// to five minutes. It holds for the same request only: for that user, app version, signals, URL
    /// and credentials. `markStale()` and ``ClientCredentials/tokensDidChange()`` end it. When no
    /// server was reached (offline, no credentials), there is no wait.
    ///
    /// URL and credentials are compared by the requests of a ``JSONURLDownloader``, of which 16 bits of
    /// a hash are stored. A request that is refused with others each time, as by a number of its own, is
    /// held back as well, from the ninth on. Around a ``JSONURLDownloader``, a downloader of your own
    /// hides them: then neither other ones nor ``ClientCredentials/tokensDidChange()`` end the wait.
    public struct Backoff: Sendable {
        /// The limit of the first wait.
        public let initial: Duration
        /// The limit of all waits.
        public let maximum: Duration
        private let random: Locked<any RandomNumberGenerator & Sendable>

        /// Creates waits.
        ///
        /// - Parameters:
        ///   - initial: The limit of the first wait, at least a second.
        ///   - maximum: The limit of all waits, at least `initial` and at most 30 days.
        ///   - generator: Draws the waits; one with a seed, for a test.
        public init(
            initial: Duration = .seconds(120), maximum: Duration = .seconds(4 * 60 * 60),
            generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
        ) {
            let longest = Duration.seconds(30 * 24 * 60 * 60)
            self.initial = min(max(initial, .seconds(1)), longest)
            self.maximum = min(max(maximum, self.initial), longest)
            random = Locked(generator)
        }

        /// In seconds: of ``maximum``, with the tenth that a server's wait may be longer.
        var longestWait: Double { maximum.inSeconds * 1.1 }

        /// A random number from 0 to 1.
        ///
        /// The generator is not called under the lock; two draws at once may be the same.
        func draw() -> Double {
            var generator = random.withLock { $0 }
            let fraction = Double.random(in: 0...1, using: &generator)
            random.withLock { $0 = generator }
            return fraction
        }

        /// The wait after a failure, in seconds, for a number that was drawn.
        ///
        /// `failureCount` counts it and those before it in a row, from 1.
        func wait(
            afterFailures failureCount: Int, _ failure: Failure, drawn fraction: Double
        ) -> Double {
            let (initial, maximum) = (self.initial.inSeconds, self.maximum.inSeconds)
            let limit = min(maximum, initial * pow(2, Double(min(failureCount, 64) - 1)))
            let asked = min(failure.retryAfter?.inSeconds ?? 0, maximum) * (1 + fraction / 10)
            let longest = failure.isShort ? min(maximum, Self.shortRefusalWait) : maximum
            return max(asked, failure.isRefusal ? longest * (1 + fraction) / 2 : limit * fraction)
        }

        /// In seconds: the longest wait after 401 and 404, unless the server asks for more.
        static let shortRefusalWait = 300.0
    }

    /// A failure after which the server is not asked for a while.
    struct Failure: Equatable {
        /// Another request of the same kind is unlikely to be answered otherwise soon.
        var isRefusal = false
        /// The cause may end any minute, as by a first publish.
        var isShort = false
        var retryAfter: Duration?

        /// Nil for a failure that no server has to do with.
        init?(_ error: any Error) {
            if error is CancellationError { return nil }
            guard let error = error as? DownloadError else { return }
            switch error.code {
            case .noDownloader, .noCredentials, .notHTTP, .throttled, .cannotConnect: return nil
            case .httpStatus:
                isRefusal = error.isRefusal
                isShort = Self.isShort(error.status)
            default: break
            }
            retryAfter = error.retryAfter
        }

        static func isShort(_ status: Int?) -> Bool { status == 401 || status == 404 }
    }
}

extension Duration {
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
