/// What an ``ActiveConfig`` does beyond keeping a configuration in force: all of it off by default.
///
/// ```swift
/// var options = ActiveConfigOptions()
/// let config = ActiveConfig(configDownloader: downloader, configStore: store, options: options)
/// ```
public struct ActiveConfigOptions: Sendable {
    /// How many users' configurations are kept in memory; see
    /// ``ActiveConfig/configuration(forUserID:)``.
    public var userCache = UserCacheLimits()

    /// Creates the default options.
    public init() {}
}
