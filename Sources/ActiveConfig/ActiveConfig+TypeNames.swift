/// The framework's types under names that nothing else has.
///
/// The module and its class share a name, so `ActiveConfig.DownloadError` is a member of the class,
/// which needs a name for the type outside of it.
public enum ActiveConfigTypes: Sendable {
    /// ``ActivationPolicy``.
    public typealias ActivationPolicyType = ActivationPolicy
    /// ``ClientCredentials``.
    public typealias ClientCredentialsType = ClientCredentials
    /// ``ClientSignals``.
    public typealias ClientSignalsType = ClientSignals
    /// ``ConfigurationFormatError``.
    public typealias ConfigurationFormatErrorType = ConfigurationFormatError
    /// ``ConfigurationState``.
    public typealias ConfigurationStateType = ConfigurationState
    /// ``DownloadError``.
    public typealias DownloadErrorType = DownloadError
    /// ``DownloadOutcome``.
    public typealias DownloadOutcomeType = DownloadOutcome
    /// ``DownloadRecord``.
    public typealias DownloadRecordType = DownloadRecord
    /// ``DownloadResult``.
    public typealias DownloadResultType = DownloadResult
    /// ``FetchOutcome``.
    public typealias FetchOutcomeType = FetchOutcome
    /// ``FetchPolicy``.
    public typealias FetchPolicyType = FetchPolicy
    /// ``SectionChange``.
    public typealias SectionChangeType = SectionChange
    /// ``SettingValue``.
    public typealias SettingValueType = SettingValue
    /// ``StoreError``.
    public typealias StoreErrorType = StoreError
}

/// For an app that has a type of the same name itself: `ActiveConfig.DownloadError`.
extension ActiveConfig {
    /// The framework's type of this name.
    public typealias ActivationPolicy = ActiveConfigTypes.ActivationPolicyType
    /// The framework's type of this name.
    public typealias ClientCredentials = ActiveConfigTypes.ClientCredentialsType
    /// The framework's type of this name.
    public typealias ClientSignals = ActiveConfigTypes.ClientSignalsType
    /// The framework's type of this name.
    public typealias ConfigurationFormatError = ActiveConfigTypes.ConfigurationFormatErrorType
    /// The framework's type of this name.
    public typealias ConfigurationState = ActiveConfigTypes.ConfigurationStateType
    /// The framework's type of this name.
    public typealias DownloadError = ActiveConfigTypes.DownloadErrorType
    /// The framework's type of this name.
    public typealias DownloadOutcome = ActiveConfigTypes.DownloadOutcomeType
    /// The framework's type of this name.
    public typealias DownloadRecord = ActiveConfigTypes.DownloadRecordType
    /// The framework's type of this name.
    public typealias DownloadResult = ActiveConfigTypes.DownloadResultType
    /// The framework's type of this name.
    public typealias FetchOutcome = ActiveConfigTypes.FetchOutcomeType
    /// The framework's type of this name.
    public typealias FetchPolicy = ActiveConfigTypes.FetchPolicyType
    /// The framework's type of this name.
    public typealias SectionChange = ActiveConfigTypes.SectionChangeType
    /// The framework's type of this name.
    public typealias SettingValue = ActiveConfigTypes.SettingValueType
    /// The framework's type of this name.
    public typealias StoreError = ActiveConfigTypes.StoreErrorType
}
