import ActiveConfig

/// The view's settings; without a section, a grey view that says so.
struct SampleViewConfiguration: Equatable {
    /// The plug-in GenerateSettings writes them from Bootstrap/InitialActiveConfig.json.
    private typealias Keys = SampleViewConfigurationKeys

    static let sectionName = Keys.labelText.sectionName

    /// Components of the colour, 0 to 1.
    var red = 0.5
    var green = 0.5
    var blue = 0.5
    var label = "There is no configuration yet."
    var isButtonEnabled = false

    /// The view without a section.
    init() {}

    /// The view of the active section; settings that it lacks are those of the bootstrap.
    init(_ settings: ConfigurationSnapshot) {
        guard settings[Self.sectionName] != nil else {
            self.init()
            return
        }
        self.init(
            color: settings[Keys.viewBackgroundColor], label: settings[Keys.labelText],
            isButtonEnabled: settings[Keys.buttonEnabled])
    }

    /// As `init(_:)` of a snapshot, but observed.
    @MainActor
    init(_ settings: ObservableActiveConfig) {
        guard settings[Self.sectionName] != nil else {
            self.init()
            return
        }
        self.init(
            color: settings[Keys.viewBackgroundColor], label: settings[Keys.labelText],
            isButtonEnabled: settings[Keys.buttonEnabled])
    }

    private init(color: [String: Double], label: String, isButtonEnabled: Bool) {
        red = color["red"] ?? red
        green = color["green"] ?? green
        blue = color["blue"] ?? blue
        self.label = label
        self.isButtonEnabled = isButtonEnabled
    }

    /// For `--json`.
    var settingValue: SettingValue {
        [
            "color": ["red": .double(red), "green": .double(green), "blue": .double(blue)],
            "label": .string(label), "button_enabled": .bool(isButtonEnabled),
        ]
    }
}
