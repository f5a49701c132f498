public import ActiveConfig
public import Foundation

/// The first read of a setting's value by a user.
public struct Exposure: Sendable, Hashable {
    /// The user; nil is the generic user.
    public let userID: String?
    /// The setting.
    public let setting: SettingPath
    /// The unconverted value; nil when the default of the key was used, or ``isMasked``.
    public let value: SettingValue?
    /// True when the value is a secret, see `SettingKey.isSecret`.
    public let isMasked: Bool
    /// The value's source.
    public let source: SettingSource
    /// The version of the active document; nil when it has none.
    public let templateVersion: Int?
    /// The experiments of the active document, and whether the user is included.
    public let experiments: [String: Bool]
    /// When the value was first read.
    public let time: Date
}

extension Exposure {
    /// Creates an exposure, for tests.
    ///
    /// - Parameters:
    ///   - userID: The user; nil is the generic user.
    ///   - setting: The setting.
    ///   - value: The unconverted value.
    ///   - source: The value's source.
    ///   - templateVersion: The version of the document.
    ///   - experiments: The experiments of the document, and whether the user is included.
    ///   - time: When the value was first read.
    public init(
        userID: String?, setting: SettingPath, value: SettingValue?, source: SettingSource,
        templateVersion: Int? = nil, experiments: [String: Bool] = [:], time: Date
    ) {
        self.init(
            userID: userID, setting: setting, value: value, isMasked: false, source: source,
            templateVersion: templateVersion, experiments: experiments, time: time)
    }

    init(_ read: SettingRead, _ event: ConfigurationEvent) {
        self.init(
            userID: event.userID, setting: read.setting, value: read.value, isMasked: read.isMasked,
            source: read.source, templateVersion: event.document?.templateVersion,
            experiments: event.document?.experiments ?? [:], time: event.time)
    }
}
