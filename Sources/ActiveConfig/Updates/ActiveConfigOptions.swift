/// What an ``ActiveConfig`` does beyond keeping a configuration in force: all of it off by default.
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
    /// When a downloaded document comes in force; by default at once.
    public var activation: ActivationPolicy = .immediate

    /// Creates the default options.
    public init() {}
}
