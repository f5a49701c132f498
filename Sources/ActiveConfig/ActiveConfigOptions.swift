/// Optional behavior of an ``ActiveConfig``, all of it off by default.
///
/// ```swift
/// var options = ActiveConfigOptions()
/// options.fetchPolicy = .firebase
/// options.activation = .manual
/// let config = ActiveConfig(configDownloader: downloader, configStore: store, options: options)
/// ```
public struct ActiveConfigOptions: Sendable {
    /// How often the server may be asked; by default each download asks.
    public var fetchPolicy: FetchPolicy = .always
    /// When a downloaded document becomes active; by default at once.
    public var activation: ActivationPolicy = .immediate

    /// How many users' configurations are kept in memory; see
    /// ``ActiveConfig/configuration(forUserID:)``.
    public var userCache = UserCacheLimits()

    /// Takes back a configuration with which the app dies at each launch.
    public var launchGuard: LaunchGuard?

    /// If set, only configurations that are signed become active, beside what comes with the app: its
    /// bootstrap configuration and its defaults.
    public var signatures: SignaturePolicy?

    /// If set, is told which settings were read, and with which values.
    public var exposures: ExposureRecorder?

    /// Creates the default options.
    public init() {}
}
