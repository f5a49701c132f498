import ActiveConfig

enum Theme: String { case light, dark }
struct Coded: Codable { var a = 1 }
struct Plain { var a = 1 }
extension SettingKey<Bool> {
    static let isOn = SettingKey("Home", "isOn", default: false)
}

func read(_ config: ActiveConfig, _ user: UserConfiguration) throws {
    // error: This is a section, not a setting
    _ = config["isOn"].boolValue
    // error: This is a section, not a setting
    _ = config["isOn"]?.boolValue
    // error: This is a section, not a setting
    _ = config["title"]?.stringValue
    // error: This is a section, not a setting
    _ = user["columns"].integerValue
    // error: This is a section, not a setting
    if config["isOn"].boolValue == true {}
    // error: must be unwrapped to refer to member 'subscript'
    _ = config["Home"]["isOn"]
    // error: cannot convert value of type 'Bool' to specified type 'Int'
    let _: Int = config[.isOn]
    // error: subscript is get-only
    config[.isOn] = true
    // error: requires that 'Coded' conform to 'SettingsSection'
    _ = config.section(Coded.self)
    // error: requires that 'Plain' conform to 'SettingsSection'
    _ = config.section(Plain.self)
    // error: requires that 'Theme' conform to 'Decodable'
    _ = try config["Home"]?.decode(Theme.self, forKey: "theme")
    // error: requires that 'Plain' conform to 'Decodable'
    _ = try config["Home"]?.decode(Plain.self)

    // Valid uses.
    _ = config["Home"]?["isOn"]?.boolValue
    _ = config["Home"]?.bool(forKey: "isOn") ?? config[.isOn]
    _ = try config["Home"]?.decode(Coded.self)
}
