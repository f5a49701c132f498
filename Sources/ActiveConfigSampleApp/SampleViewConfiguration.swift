import ActiveConfig

/// The view's settings; without a section, a grey view that says so.
struct SampleViewConfiguration: Equatable {
    static let sectionName = "SampleViewConfiguration"

    /// Components of the colour, 0 to 1.
    var red = 0.5
    var green = 0.5
    var blue = 0.5
    var label = "There is no configuration yet."
    var isButtonEnabled = false

    /// Settings that the section lacks have their defaults.
    init(_ section: ActiveConfigSection?) {
        let color = section?.dictionary(forKey: "ViewBackgroundColor")
        red = color?["red"]?.doubleValue ?? red
        green = color?["green"]?.doubleValue ?? green
        blue = color?["blue"]?.doubleValue ?? blue
        label = section?.string(forKey: "LabelText") ?? label
        isButtonEnabled = section?.bool(forKey: "ButtonEnabled") ?? isButtonEnabled
    }

    /// For `--json`.
    var settingValue: SettingValue {
        [
            "color": ["red": .double(red), "green": .double(green), "blue": .double(blue)],
            "label": .string(label), "button_enabled": .bool(isButtonEnabled),
        ]
    }
}
