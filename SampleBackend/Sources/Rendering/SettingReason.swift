public import ActiveConfig

/// Why a setting has its value for a user.
public struct SettingReason: Sendable, Hashable {
    /// Where a value comes from.
    public enum Source: Sendable, Hashable {
        /// It is pinned for the user.
        case override
        /// The condition of this name is true, and the first that is and has a value.
        case condition(String)
        /// No condition that has a value is true.
        case defaultValue
    }

    /// Where the value comes from.
    public let source: Source

    /// The value; nil when the setting is left out, so that the app's own default counts.
    public let value: SettingValue?

    /// The conditions before the one that won, all false, in their order.
    public let falseConditions: [String]

    /// Whether the condition that won uses `percent`.
    public var usesPercent = false
}
