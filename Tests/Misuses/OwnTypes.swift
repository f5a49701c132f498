import ActiveConfig

// An app may declare types with the names of the framework's types.
struct UserConfiguration {}
struct SettingKey {}
struct ActiveSetting {}
protocol SettingConvertible {}
struct FileDefaultsStore {}

extension ActiveConfig::SettingKey<Bool> {
    static let isOn = ActiveConfig::SettingKey("Home", "isOn", default: false)
}
enum Theme: String, ActiveConfig::SettingConvertible { case light }
struct Screen { @ActiveConfig::ActiveSetting(.isOn) var isOn }
func use(_ user: ActiveConfig::UserConfiguration, _ store: any ActiveConfig::ActiveConfigStore)
    -> Bool
{
    store is ActiveConfig::FileDefaultsStore && user[.isOn]
}
