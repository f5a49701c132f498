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

    /// Decide which documents may become active, beside what comes with the app: each document has to be
    /// accepted by all, in this order, but by those first that need its original.
    public var vetting: [any ConfigurationVetting] = []

    /// Creates the default options.
    public init() {}
}
