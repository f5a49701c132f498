import Foundation

/// How often an ``ActiveConfig/ActiveConfig`` may ask the server.
///
/// ```swift
/// var options = ActiveConfigOptions()
/// options.fetchPolicy = .minimumInterval(.seconds(3_600))
/// ```
///
/// Within the interval a download ends with ``DownloadOutcome/withinInterval``, without a request.
/// It still asks the server if the app's version or build, or the downloader's
/// ``ActiveConfigDownloader/requestDigest`` (for example of signals), differs from the user's last
/// download, and after `markStale()`.
///
/// With a ``Backoff``, a failure of the server makes all downloads of the installation wait: they
/// throw ``DownloadError/Code/throttled`` until ``ConfigurationStatus/throttledUntil``. No answer
/// blocks a client for good.
///
/// Both are kept across launches, by the device's clock; the interval of a document that could not
/// be stored ends with the launch. An interval lasts only while the clock shows a time between its
/// start and its end, so setting the clock cannot prolong it. If the clock was set back before the
/// start of a wait, the wait restarts once with its full length; if it was set forward beyond its
/// end, the wait is over, and the next failure starts a longer one.
public struct FetchPolicy: Sendable {
    /// The time after a download during which the next one of the same user makes no request.
    public var minimumInterval: Duration
    /// The waits after failures; nil: none.
    public var backoff: Backoff?
    /// The app's version and build.
    package var appVersion: @Sendable () -> String = {
        let platform = PlatformSignals.current
        return [platform.appVersion, platform.appBuild].map { $0 ?? "" }.joined(separator: " ")
    }

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - minimumInterval: The time after a download during which the next one of the same user
    ///     makes no request; zero or less: none.
    ///   - backoff: The waits after failures; nil: none.
    public init(minimumInterval: Duration, backoff: Backoff? = Backoff()) {
        self.minimumInterval = minimumInterval
        self.backoff = backoff
    }

    /// Every download asks the server: the default.
    public static let always = FetchPolicy(minimumInterval: .zero, backoff: nil)

    /// 12 hours, and waits of up to 4 hours after failures, as in Firebase Remote Config.
    public static let firebase = FetchPolicy(minimumInterval: .seconds(12 * 60 * 60))

    /// A minimum interval, and waits of up to 4 hours after failures.
    ///
    /// - Parameter interval: The time after a download during which the next one of the same user
    ///   makes no request.
    /// - Returns: The policy.
    public static func minimumInterval(_ interval: Duration) -> FetchPolicy {
        FetchPolicy(minimumInterval: interval)
    }
}

extension FetchPolicy {
    /// Exponential waits with full jitter.
    ///
    /// Each wait is drawn between zero and a limit, which doubles with every consecutive failure.
    /// Clients that failed at the same time therefore return at different times.
    ///
    /// `Retry-After` of the server prolongs a wait, up to ``maximum`` plus a tenth.
    ///
    /// A 4xx answer other than 408 and 429 starts no wait, also with `Retry-After`: it is about one
    /// request, and its cause, such as a wrong key, can end any time. Nor does a failure without a
    /// server: offline, no credentials, or an error of the closure that creates the request. Nor
    /// does a document that a ``ConfigurationVetting`` refuses, as the cause can be the user or the
    /// device's clock.
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
        public init(
            initial: Duration = .seconds(120), maximum: Duration = .seconds(4 * 60 * 60)
        ) {
            self.init(
                initial: initial, maximum: maximum, generator: SystemRandomNumberGenerator())
        }

        /// Creates waits that a generator draws, one with a seed for a test.
        package init(
            initial: Duration = .seconds(120), maximum: Duration = .seconds(4 * 60 * 60),
            generator: some RandomNumberGenerator & Sendable
        ) {
            let longest = Duration.seconds(30 * 24 * 60 * 60)
            self.initial = min(max(initial, .seconds(1)), longest)
            self.maximum = min(max(maximum, self.initial), longest)
            random = Locked(generator)
        }

        /// In seconds: ``maximum`` plus the tenth by which a server can prolong it.
        var longestWait: Double { maximum.inSeconds * 1.1 }

        /// A random number from 0 to 1.
        ///
        /// The generator is not called under the lock; two concurrent draws can be equal.
        func draw() -> Double {
            var generator = random.withLock { $0 }
            let fraction = Double.random(in: 0...1, using: &generator)
            random.withLock { $0 = generator }
            return fraction
        }

        /// The wait after a failure, in seconds, for a drawn number.
        ///
        /// `failureCount` is the number of consecutive failures, including this one.
        func wait(
            afterFailures failureCount: Int, _ failure: Failure, drawn fraction: Double
        ) -> Double {
            let (initial, maximum) = (self.initial.inSeconds, self.maximum.inSeconds)
            let limit = min(maximum, initial * pow(2, Double(min(failureCount, 64) - 1)))
            let asked = min(failure.retryAfter?.inSeconds ?? 0, maximum) * (1 + fraction / 10)
            return max(asked, limit * fraction)
        }
    }

    /// A failure after which the server is not asked for a while.
    struct Failure: Equatable {
        var retryAfter: Duration?

        /// Nil for a failure without a server, and for a refused request.
        init?(_ error: any Error) {
            if error is CancellationError { return nil }
            guard let error = error as? DownloadError else { return }
            switch error.code {
            case .noDownloader, .noCredentials, .notHTTP, .throttled, .cannotConnect: return nil
            default: if error.isRejection { return nil }
            }
            retryAfter = error.retryAfter
        }
    }
}

extension FetchPolicy: Equatable {
    /// Returns a Boolean value that indicates whether interval and waits are equal.
    public static func == (left: FetchPolicy, right: FetchPolicy) -> Bool {
        left.minimumInterval == right.minimumInterval && left.backoff == right.backoff
    }
}

extension FetchPolicy.Backoff: Equatable {
    /// Returns a Boolean value that indicates whether the limits are equal.
    public static func == (left: Self, right: Self) -> Bool {
        left.initial == right.initial && left.maximum == right.maximum
    }
}

extension Duration {
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
