public import ActiveConfig
public import Foundation

/// A user saw a value of a setting: what an experiment is evaluated by.
public struct Exposure: Sendable, Hashable {
    /// The user; nil is the generic user.
    public let userID: String?
    /// The setting.
    public let setting: SettingPath
    /// The value, not converted; nil when the default of the key was used, or ``isMasked``.
    public let value: SettingValue?
    /// True when the value is a secret, see `ActiveConfig.markSecret(_:inSection:)`.
    public let isMasked: Bool
    /// Where the value comes from.
    public let source: SettingSource
    /// The version of the active document; nil when it has none.
    public let templateVersion: Int?
    /// The experiments of the active document, and whether the user is in them.
    public let experiments: [String: Bool]
    /// When the value was first read.
    public let time: Date
}

extension Exposure {
    init(_ read: SettingRead, _ event: ConfigurationEvent) {
        self.init(
            userID: event.userID, setting: read.setting, value: read.value, isMasked: read.isMasked,
            source: read.source, templateVersion: event.document?.templateVersion,
            experiments: event.document?.experiments ?? [:], time: event.time)
    }
}
