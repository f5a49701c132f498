import ActiveConfig

/// What the view shows, as its section says; without a section, a grey view that says so.
struct SampleViewConfiguration: Equatable {
    /// The section's name.
    static let sectionName = "SampleViewConfiguration"

    /// The parts of the colour, from 0 to 1.
    var red = 0.5
    var green = 0.5
    var blue = 0.5
    var label = "There is no configuration yet."
    var isButtonEnabled = false

    /// Reads a section; what it does not say stays as it is here.
    init(_ section: ActiveConfigSection?) {
        let color = section?.dictionary(forKey: "ViewBackgroundColor")
        red = color?["red"]?.doubleValue ?? red
        green = color?["green"]?.doubleValue ?? green
        blue = color?["blue"]?.doubleValue ?? blue
        label = section?.string(forKey: "LabelText") ?? label
        isButtonEnabled = section?.bool(forKey: "ButtonEnabled") ?? isButtonEnabled
    }

    /// The values, for `--json`.
    var settingValue: SettingValue {
        [
            "color": ["red": .double(red), "green": .double(green), "blue": .double(blue)],
            "label": .string(label), "button_enabled": .bool(isButtonEnabled),
        ]
    }
}
