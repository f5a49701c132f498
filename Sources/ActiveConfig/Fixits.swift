public import Foundation

// Names of Firebase Remote Config and LaunchDarkly, for the compiler to say what to write here.

extension ActiveConfig {
    /// Unavailable: Firebase's name of ``downloadNewConfig()->_``.
    @available(*, unavailable, renamed: "downloadNewConfig()")
    public func fetch() async throws {}

    /// Unavailable: the ``FetchPolicy`` has the interval.
    @available(
        *, unavailable,
        message: """
            use 'downloadNewConfig(ignoringInterval: true)', or set 'fetchPolicy' of ActiveConfigOptions
            """
    )
    public func fetch(withExpirationDuration expirationDuration: TimeInterval) async throws {}

    /// Unavailable: Firebase's name of ``load()``.
    @available(*, unavailable, renamed: "load()")
    public func ensureInitialized() async throws {}

    /// Unavailable: ``ClientSignals`` has the signals.
    @available(
        *, unavailable,
        message: """
            use 'setCustomSignals(_:)' of the ClientSignals that are passed to ActiveConfigBackend
            """
    )
    public func setCustomSignals(_ customSignals: [String: Any]) async throws {}

    /// Unavailable: an updater downloads changes.
    @available(
        *, unavailable,
        message: """
            start an ActiveConfigUpdater of ActiveConfigRealtime, and use 'observe(_:_:)' or 'values(for:)'
            """
    )
    public func addOnConfigUpdateListener(
        remoteConfigUpdateCompletion listener: @escaping (Any?, (any Error)?) -> Void
    ) {}

    /// Unavailable: Firebase's name of ``changes(inSection:)``.
    @available(*, unavailable, renamed: "changes(inSection:)")
    public var configUpdates: ConfigurationUpdates<SectionChange> { changes() }

    /// Unavailable: a setting is read with its key.
    @available(
        *, unavailable,
        message: "declare a SettingKey and read 'config[.isCheckoutOn]'"
    )
    public func configValue(forKey key: String) -> SettingValue { .null }

    /// Unavailable: Firebase's name of ``ConfigurationStatus/lastDownload``.
    @available(*, unavailable, renamed: "status.lastDownload")
    public var lastFetchTime: Date? { nil }

    /// Unavailable: Firebase's name of ``ConfigurationStatus/lastDownload``.
    @available(*, unavailable, renamed: "status.lastDownload")
    public var lastFetchStatus: DownloadRecord? { nil }
}

extension ActiveConfig {
    /// Unavailable: a setting is read with its key.
    @available(
        *, unavailable,
        message: "declare a SettingKey and read 'config[.isCheckoutOn]'"
    )
    public func variation<Value>(forKey key: String, defaultValue: Value) -> Value { defaultValue }

    /// Unavailable: LaunchDarkly's name of ``observe(_:_:)``.
    @available(
        *, unavailable,
        message: "use 'observe(_:_:)' with a SettingKey, and keep the subscription"
    )
    public func observe(
        key: String, owner: AnyObject, handler: @escaping (Any) -> Void
    ) {}

    /// Unavailable: LaunchDarkly's name of ``changes(inSection:)``.
    @available(*, unavailable, renamed: "changes(inSection:)")
    public func observeAll(owner: AnyObject, handler: @escaping (Any) -> Void) {}

    /// Unavailable: LaunchDarkly's name of ``setCurrentUser(_:)``.
    @available(*, unavailable, renamed: "setCurrentUser(_:)")
    public func identify(context: Any) async {}

    /// Unavailable: LaunchDarkly's name of ``SettingsReading/snapshot``.
    @available(*, unavailable, renamed: "snapshot")
    public var allFlags: ConfigurationSnapshot { snapshot }
}
