import ActiveConfig

enum Theme: String { case light, dark }
enum Convertible: String, SettingConvertible { case a }
enum Coded: String, Codable { case a }
struct Plain { var a = 1 }

extension SettingKey<Theme> {
    // error: a setting cannot be read as this type
    static let theme = SettingKey("Home", "theme", default: .light)
}
extension SettingKey<Theme?> {
    // error: a setting cannot be read as this type
    static let maybe = SettingKey("Home", "theme", default: nil)
}
extension SettingKey<[Theme]> {
    // error: a setting cannot be read as this type
    static let list = SettingKey("Home", "theme", default: [])
}
extension SettingKey<[String: Theme]> {
    // error: a setting cannot be read as this type
    static let named = SettingKey("Home", "theme", default: [:])
}
extension SettingKey<Plain> {
    // error: a setting cannot be read as this type
    static let plain = SettingKey("Home", "plain", default: Plain())
}
// error: a setting cannot be read as this type
let inferred = SettingKey("Home", "theme", default: Theme.light)
// error: a setting cannot be read as this type
let typed: SettingKey<Theme> = SettingKey("Home", "theme", default: .light)
// error: a setting cannot be read as this type
let named = SettingKey<Theme>("Home", "theme", default: .light)

// Valid keys.
extension SettingKey<Convertible> {
    static let convertible = SettingKey("Home", "a", default: .a)
}
extension SettingKey<[Convertible?]> {
    static let convertibles = SettingKey("Home", "a", default: [])
}
extension SettingKey<Coded?> {
    static let coded = SettingKey("Home", "a", default: nil)
}
extension SettingKey<Bool> {
    static let isOn = SettingKey("Home", "isOn", default: false)
}
