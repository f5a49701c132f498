/// For an app that has a type of the same name itself: `ActiveConfig.DownloadError`.
///
/// All public types, which `Tests/Structure/type_names.py` checks.
extension ActiveConfig {
    /// The framework's type of this name.
    public typealias ActivationPolicy = ActiveConfigTypes.ActivationPolicyType
    /// The framework's type of this name.
    public typealias ActiveConfigBackend = ActiveConfigTypes.ActiveConfigBackendType
    /// The framework's type of this name.
    public typealias ActiveConfigDownloader = ActiveConfigTypes.ActiveConfigDownloaderType
    /// The framework's type of this name.
    public typealias ActiveConfigListener = ActiveConfigTypes.ActiveConfigListenerType
    /// The framework's type of this name.
    public typealias ActiveConfigLog = ActiveConfigTypes.ActiveConfigLogType
    /// The framework's type of this name.
    public typealias ActiveConfigOptions = ActiveConfigTypes.ActiveConfigOptionsType
    /// The framework's type of this name.
    public typealias ActiveConfigSection = ActiveConfigTypes.ActiveConfigSectionType
    /// The framework's type of this name.
    public typealias ActiveConfigStore = ActiveConfigTypes.ActiveConfigStoreType
    /// The framework's type of this name.
    public typealias ActiveConfigSubscription = ActiveConfigTypes.ActiveConfigSubscriptionType
    /// The framework's type of this name.
    public typealias ActiveSetting = ActiveConfigTypes.ActiveSettingType
    /// The framework's type of this name.
    public typealias BootstrapConfiguration = ActiveConfigTypes.BootstrapConfigurationType
    /// The framework's type of this name.
    public typealias ClientCredentials = ActiveConfigTypes.ClientCredentialsType
    /// The framework's type of this name.
    public typealias ClientSignals = ActiveConfigTypes.ClientSignalsType
    /// The framework's type of this name.
    public typealias ConfigurationActivation = ActiveConfigTypes.ConfigurationActivationType
    /// The framework's type of this name.
    public typealias ConfigurationCandidate = ActiveConfigTypes.ConfigurationCandidateType
    /// The framework's type of this name.
    public typealias ConfigurationDiagnostics = ActiveConfigTypes.ConfigurationDiagnosticsType
    /// The framework's type of this name.
    public typealias ConfigurationEvent = ActiveConfigTypes.ConfigurationEventType
    /// The framework's type of this name.
    public typealias ConfigurationFormatError = ActiveConfigTypes.ConfigurationFormatErrorType
    /// The framework's type of this name.
    public typealias ConfigurationFreshness = ActiveConfigTypes.ConfigurationFreshnessType
    /// The framework's type of this name.
    public typealias ConfigurationLimits = ActiveConfigTypes.ConfigurationLimitsType
    /// The framework's type of this name.
    public typealias ConfigurationObserving = ActiveConfigTypes.ConfigurationObservingType
    /// The framework's type of this name.
    public typealias ConfigurationOverrides = ActiveConfigTypes.ConfigurationOverridesType
    /// The framework's type of this name.
    public typealias ConfigurationRefusal = ActiveConfigTypes.ConfigurationRefusalType
    /// The framework's type of this name.
    public typealias ConfigurationReport = ActiveConfigTypes.ConfigurationReportType
    /// The framework's type of this name.
    public typealias ConfigurationSnapshot = ActiveConfigTypes.ConfigurationSnapshotType
    /// The framework's type of this name.
    public typealias ConfigurationState = ActiveConfigTypes.ConfigurationStateType
    /// The framework's type of this name.
    public typealias ConfigurationStatus = ActiveConfigTypes.ConfigurationStatusType
    /// The framework's type of this name.
    public typealias ConfigurationUpdates = ActiveConfigTypes.ConfigurationUpdatesType
    /// The framework's type of this name.
    public typealias ConfigurationVetting = ActiveConfigTypes.ConfigurationVettingType
    /// The framework's type of this name.
    public typealias CustomSignalError = ActiveConfigTypes.CustomSignalErrorType
    /// The framework's type of this name.
    public typealias CustomSignalValue = ActiveConfigTypes.CustomSignalValueType
    /// The framework's type of this name.
    public typealias DownloadError = ActiveConfigTypes.DownloadErrorType
    /// The framework's type of this name.
    public typealias DownloadOutcome = ActiveConfigTypes.DownloadOutcomeType
    /// The framework's type of this name.
    public typealias DownloadRecord = ActiveConfigTypes.DownloadRecordType
    /// The framework's type of this name.
    public typealias DownloadResult = ActiveConfigTypes.DownloadResultType
    /// The framework's type of this name.
    public typealias FetchPolicy = ActiveConfigTypes.FetchPolicyType
    /// The framework's type of this name.
    public typealias FileDefaultsStore = ActiveConfigTypes.FileDefaultsStoreType
    /// The framework's type of this name.
    public typealias InMemoryStore = ActiveConfigTypes.InMemoryStoreType
    /// The framework's type of this name.
    public typealias JSONURLDownloader = ActiveConfigTypes.JSONURLDownloaderType
    /// The framework's type of this name.
    public typealias LaunchGate = ActiveConfigTypes.LaunchGateType
    /// The framework's type of this name.
    public typealias ObservableActiveConfig = ActiveConfigTypes.ObservableActiveConfigType
    /// The framework's type of this name.
    public typealias OriginalDocument = ActiveConfigTypes.OriginalDocumentType
    /// The framework's type of this name.
    public typealias OverridePolicy = ActiveConfigTypes.OverridePolicyType
    /// The framework's type of this name.
    public typealias PlatformSignals = ActiveConfigTypes.PlatformSignalsType
    /// The framework's type of this name.
    public typealias SectionChange = ActiveConfigTypes.SectionChangeType
    /// The framework's type of this name.
    public typealias SettingConvertible = ActiveConfigTypes.SettingConvertibleType
    /// The framework's type of this name.
    public typealias SettingExplanation = ActiveConfigTypes.SettingExplanationType
    /// The framework's type of this name.
    public typealias SettingKey = ActiveConfigTypes.SettingKeyType
    /// The framework's type of this name.
    public typealias SettingPath = ActiveConfigTypes.SettingPathType
    /// The framework's type of this name.
    public typealias SettingProblem = ActiveConfigTypes.SettingProblemType
    /// The framework's type of this name.
    public typealias SettingRead = ActiveConfigTypes.SettingReadType
    /// The framework's type of this name.
    public typealias SettingSource = ActiveConfigTypes.SettingSourceType
    /// The framework's type of this name.
    public typealias SettingValue = ActiveConfigTypes.SettingValueType
    /// The framework's type of this name.
    public typealias SettingsReading = ActiveConfigTypes.SettingsReadingType
    /// The framework's type of this name.
    public typealias SettingsSection = ActiveConfigTypes.SettingsSectionType
    /// The framework's type of this name.
    public typealias StoreError = ActiveConfigTypes.StoreErrorType
    /// The framework's type of this name.
    public typealias StoreFallback = ActiveConfigTypes.StoreFallbackType
    /// The framework's type of this name.
    public typealias StoreRecord = ActiveConfigTypes.StoreRecordType
    /// The framework's type of this name.
    public typealias URLSessionPool = ActiveConfigTypes.URLSessionPoolType
    /// The framework's type of this name.
    public typealias UserCacheLimits = ActiveConfigTypes.UserCacheLimitsType
    /// The framework's type of this name.
    public typealias UserConfiguration = ActiveConfigTypes.UserConfigurationType
    /// The framework's type of this name.
    public typealias UserDefaultsStore = ActiveConfigTypes.UserDefaultsStoreType
    /// The framework's type of this name.
    public typealias VettingVerdict = ActiveConfigTypes.VettingVerdictType
}
