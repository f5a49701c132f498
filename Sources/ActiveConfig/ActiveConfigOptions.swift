/// Optional behavior of an ``ActiveConfig``.
///
/// ```swift
/// let config = ActiveConfig(
///     configDownloader: downloader, configStore: store,
///     options: ActiveConfigOptions(fetchPolicy: .firebase, activationPolicy: .manual))
/// ```
public struct ActiveConfigOptions: Sendable {
    /// How often the server may be asked; by default each download asks.
    public var fetchPolicy: FetchPolicy
    /// When a downloaded document becomes active; by default at once.
    public var activationPolicy: ActivationPolicy
    /// Whether settings can be overridden on this device; by default in debug builds.
    public var overridePolicy: OverridePolicy
    /// How many users' configurations are kept in memory; see
    /// ``ActiveConfig/configuration(forUserID:)``.
    public var userCacheLimits: UserCacheLimits
    /// Rules for which documents may become active; by default none.
    ///
    /// Each document must be accepted by all, in this order, except that those which need its
    /// original come first.
    public var vetting: [any ConfigurationVetting]
    /// The longest time for a downloader's answer; by default 5 minutes.
    ///
    /// Time during which the device sleeps does not count. A longer download is cancelled and fails
    /// with ``DownloadError/Code/timedOut``; a late answer is dropped. ``JSONURLDownloader`` has a
    /// shorter limit of its own.
    public var downloadTimeout: Duration
    /// Receives the framework's messages.
    public var log: ActiveConfigLog

    /// Creates options.
    ///
    /// - Parameters:
    ///   - fetchPolicy: How often the server may be asked.
    ///   - activationPolicy: When a downloaded document becomes active.
    ///   - overridePolicy: Whether settings can be overridden on this device.
    ///   - userCacheLimits: How many users' configurations are kept in memory.
    ///   - vetting: Rules for which documents may become active.
    ///   - downloadTimeout: The longest that a downloader may take for an answer.
    ///   - log: Receives the framework's messages.
    public init(
        fetchPolicy: FetchPolicy = .always, activationPolicy: ActivationPolicy = .immediate,
        overridePolicy: OverridePolicy = .inDebugBuilds,
        userCacheLimits: UserCacheLimits = UserCacheLimits(),
        vetting: [any ConfigurationVetting] = [], downloadTimeout: Duration = .seconds(300),
        log: ActiveConfigLog = .system
    ) {
        self.fetchPolicy = fetchPolicy
        self.activationPolicy = activationPolicy
        self.overridePolicy = overridePolicy
        self.userCacheLimits = userCacheLimits
        self.vetting = vetting
        self.downloadTimeout = downloadTimeout
        self.log = log
    }
}
