import ActiveConfig

extension SettingKey<Bool> {
    static let isOn = SettingKey("Checkout", "isOn", default: false)
    static let isOther = SettingKey("Checkout", "isOther", default: false)
}

extension SettingKey<Int> {
    static let columns = SettingKey("Home", "columns", default: 2)
}

extension SettingKey<String> {
    static let title = SettingKey("Home", "title", default: "none")
}
