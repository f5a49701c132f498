/// The framework's types under names that nothing else has.
///
/// The module and its class share a name, so `ActiveConfig.DownloadError` is a member of the class,
/// which needs a name for the type outside of it.
public enum ActiveConfigTypes: Sendable {
    /// ``ActivationPolicy``.
    public typealias ActivationPolicyType = ActivationPolicy
    /// ``ActiveConfigBackend``.
    public typealias ActiveConfigBackendType = ActiveConfigBackend
    /// ``ActiveConfigDownloader``.
    public typealias ActiveConfigDownloaderType = ActiveConfigDownloader
    /// ``ActiveConfigListener``.
    public typealias ActiveConfigListenerType = ActiveConfigListener
    /// ``ActiveConfigLog``.
    public typealias ActiveConfigLogType = ActiveConfigLog
    /// ``ActiveConfigOptions``.
    public typealias ActiveConfigOptionsType = ActiveConfigOptions
    /// ``ActiveConfigSection``.
    public typealias ActiveConfigSectionType = ActiveConfigSection
    /// ``ActiveConfigStore``.
    public typealias ActiveConfigStoreType = ActiveConfigStore
    /// ``ActiveConfigSubscription``.
    public typealias ActiveConfigSubscriptionType = ActiveConfigSubscription
    /// ``ActiveSetting``.
    public typealias ActiveSettingType = ActiveSetting
    /// ``BootstrapConfiguration``.
    public typealias BootstrapConfigurationType = BootstrapConfiguration
    /// ``ClientCredentials``.
    public typealias ClientCredentialsType = ClientCredentials
    /// ``ClientSignals``.
    public typealias ClientSignalsType = ClientSignals
    /// ``ConfigurationActivation``.
    public typealias ConfigurationActivationType = ConfigurationActivation
    /// ``ConfigurationCandidate``.
    public typealias ConfigurationCandidateType = ConfigurationCandidate
    /// ``ConfigurationDiagnostics``.
    public typealias ConfigurationDiagnosticsType = ConfigurationDiagnostics
    /// ``ConfigurationEvent``.
    public typealias ConfigurationEventType = ConfigurationEvent
    /// ``ConfigurationFormatError``.
    public typealias ConfigurationFormatErrorType = ConfigurationFormatError
    /// ``ConfigurationFreshness``.
    public typealias ConfigurationFreshnessType = ConfigurationFreshness
    /// ``ConfigurationLimits``.
    public typealias ConfigurationLimitsType = ConfigurationLimits
    /// ``ConfigurationObserving``.
    public typealias ConfigurationObservingType = ConfigurationObserving
    /// ``ConfigurationOverrides``.
    public typealias ConfigurationOverridesType = ConfigurationOverrides
    /// ``ConfigurationRefusal``.
    public typealias ConfigurationRefusalType = ConfigurationRefusal
    /// ``ConfigurationReport``.
    public typealias ConfigurationReportType = ConfigurationReport
    /// ``ConfigurationSnapshot``.
    public typealias ConfigurationSnapshotType = ConfigurationSnapshot
    /// ``ConfigurationState``.
    public typealias ConfigurationStateType = ConfigurationState
    /// ``ConfigurationStatus``.
    public typealias ConfigurationStatusType = ConfigurationStatus
    /// ``ConfigurationUpdates``.
    public typealias ConfigurationUpdatesType = ConfigurationUpdates
    /// ``ConfigurationVetting``.
    public typealias ConfigurationVettingType = ConfigurationVetting
    /// ``CustomSignalError``.
    public typealias CustomSignalErrorType = CustomSignalError
    /// ``CustomSignalValue``.
    public typealias CustomSignalValueType = CustomSignalValue
    /// ``DownloadError``.
    public typealias DownloadErrorType = DownloadError
    /// ``DownloadOutcome``.
    public typealias DownloadOutcomeType = DownloadOutcome
    /// ``DownloadRecord``.
    public typealias DownloadRecordType = DownloadRecord
    /// ``DownloadResult``.
    public typealias DownloadResultType = DownloadResult
    /// ``FetchPolicy``.
    public typealias FetchPolicyType = FetchPolicy
    /// ``FileDefaultsStore``.
    public typealias FileDefaultsStoreType = FileDefaultsStore
    /// ``InMemoryStore``.
    public typealias InMemoryStoreType = InMemoryStore
    /// ``JSONURLDownloader``.
    public typealias JSONURLDownloaderType = JSONURLDownloader
    /// ``LaunchGate``.
    public typealias LaunchGateType = LaunchGate
    /// ``ObservableActiveConfig``.
    public typealias ObservableActiveConfigType = ObservableActiveConfig
    /// ``OriginalDocument``.
    public typealias OriginalDocumentType = OriginalDocument
    /// ``OverridePolicy``.
    public typealias OverridePolicyType = OverridePolicy
    /// ``PlatformSignals``.
    public typealias PlatformSignalsType = PlatformSignals
    /// ``SectionChange``.
    public typealias SectionChangeType = SectionChange
    /// ``SettingConvertible``.
    public typealias SettingConvertibleType = SettingConvertible
    /// ``SettingExplanation``.
    public typealias SettingExplanationType = SettingExplanation
    /// ``SettingKey``.
    public typealias SettingKeyType = SettingKey
    /// ``SettingPath``.
    public typealias SettingPathType = SettingPath
    /// ``SettingProblem``.
    public typealias SettingProblemType = SettingProblem
    /// ``SettingRead``.
    public typealias SettingReadType = SettingRead
    /// ``SettingSource``.
    public typealias SettingSourceType = SettingSource
    /// ``SettingValue``.
    public typealias SettingValueType = SettingValue
    /// ``SettingsReading``.
    public typealias SettingsReadingType = SettingsReading
    /// ``SettingsSection``.
    public typealias SettingsSectionType = SettingsSection
    /// ``StoreError``.
    public typealias StoreErrorType = StoreError
    /// ``StoreFallback``.
    public typealias StoreFallbackType = StoreFallback
    /// ``StoreRecord``.
    public typealias StoreRecordType = StoreRecord
    /// ``URLSessionPool``.
    public typealias URLSessionPoolType = URLSessionPool
    /// ``UserCacheLimits``.
    public typealias UserCacheLimitsType = UserCacheLimits
    /// ``UserConfiguration``.
    public typealias UserConfigurationType = UserConfiguration
    /// ``UserDefaultsStore``.
    public typealias UserDefaultsStoreType = UserDefaultsStore
    /// ``VettingVerdict``.
    public typealias VettingVerdictType = VettingVerdict
}
