/// The source of a setting's value.
///
/// Sources may be added: keep a `default` when you switch over it.
public struct SettingSource: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String {
        case override, downloaded, stored, genericUser, bootstrap, `default`, absent
    }

    private let kind: Kind

    /// An override of this device, for development; see ``ConfigurationOverrides``.
    public static let override = SettingSource(kind: .override)
    /// A document downloaded, or confirmed by the server, in this launch.
    public static let downloaded = SettingSource(kind: .downloaded)
    /// A document of an earlier launch, from the store.
    public static let stored = SettingSource(kind: .stored)
    /// The generic user's document; the current user has none.
    public static let genericUser = SettingSource(kind: .genericUser)
    /// The bootstrap configuration; there is no other.
    public static let bootstrap = SettingSource(kind: .bootstrap)
    /// The app: its in-app defaults, or the default of a key.
    public static let `default` = SettingSource(kind: .default)
    /// There is no such setting.
    public static let absent = SettingSource(kind: .absent)

    /// The source's name, such as `downloaded`.
    public var description: String { kind.rawValue }
}
