import ActiveConfig

final class Owner {}

/// Names of Firebase Remote Config.
func fetch(_ config: ActiveConfig) async throws {
    // error: 'fetch()' has been renamed to 'downloadNewConfig()'
    try await config.fetch()
    // error: use 'downloadNewConfig(ignoringInterval: true)'
    try await config.fetch(withExpirationDuration: 0)
    // error: 'ensureInitialized()' has been renamed to 'load()'
    try await config.ensureInitialized()
    // error: use 'setCustomSignals(_:)' of the ClientSignals
    try await config.setCustomSignals(["plan": "pro"])
    // error: start an ActiveConfigUpdater of ActiveConfigRealtime
    config.addOnConfigUpdateListener { _, _ in }
    // error: 'configUpdates' has been renamed to 'changes(inSection:)'
    for await _ in config.configUpdates {}
    // error: declare a SettingKey and read 'config[.isCheckoutOn]'
    _ = config.configValue(forKey: "isOn")
    // error: 'lastFetchTime' has been renamed to 'status.lastDownload'
    _ = config.lastFetchTime
    // error: 'lastFetchStatus' has been renamed to 'status.lastDownload'
    _ = config.lastFetchStatus

    // What is right still is.
    try await config.downloadNewConfig(ignoringInterval: true)
    try await config.fetchAndActivate()
}

/// Names of LaunchDarkly.
func identify(_ config: ActiveConfig, _ owner: Owner) async {
    // error: declare a SettingKey and read 'config[.isCheckoutOn]'
    _ = config.variation(forKey: "isOn", defaultValue: false)
    // error: use 'observe(_:_:)' with a SettingKey, and keep the subscription
    config.observe(key: "isOn", owner: owner) { _ in }
    // error: 'observeAll(owner:handler:)' has been renamed to 'changes(inSection:)'
    config.observeAll(owner: owner) { _ in }
    // error: 'identify(context:)' has been renamed to 'setCurrentUser(_:)'
    await config.identify(context: "1")
    // error: 'allFlags' has been renamed to 'snapshot'
    _ = config.allFlags
}
