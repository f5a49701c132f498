import ActiveConfig

enum Theme: String { case light, dark }
extension SettingKey<Bool> {
    static let isOn = SettingKey("Home", "isOn", default: false)
}

// error: requires the types 'Int' and 'Bool' be equivalent
struct OtherType { @ActiveSetting(.isOn) var isOn: Int }
// error: declare a key, as in
struct Names { @ActiveSetting("Home", "isOn") var isOn: Bool }
// error: declare a key, as in
struct NamesAndDefault { @ActiveSetting("Home", "isOn", default: true) var isOn: Bool }
// error: leave out '= …'
struct Initialized { @ActiveSetting(.isOn) var isOn = true }
// error: leave out '= …'
struct Typed { @ActiveSetting(.isOn) var isOn: Bool = true }
struct Unreadable {
    // error: a setting cannot be read as this type
    @ActiveSetting(SettingKey("Home", "theme", default: Theme.light)) var theme
}
struct Assigned {
    @ActiveSetting(.isOn) var isOn
    // error: cannot assign to property: 'isOn' is a get-only property
    func turnOn() { isOn = true }
}

// Valid uses.
struct Right {
    @ActiveSetting(.isOn) var isOn
    @ActiveSetting var other: Bool
    init(_ config: ActiveConfig) {
        _isOn = ActiveSetting(.isOn, in: config)
        _other = ActiveSetting(.isOn)
    }
}
