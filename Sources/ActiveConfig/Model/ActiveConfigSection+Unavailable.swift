// Compiler messages that say what to write when a section is mistaken for a setting.

extension ActiveConfigSection? {
    /// Unavailable: a section has no value.
    @available(
        *, unavailable,
        message: "This is a section, not a setting: config[\"Home\"]?.bool(forKey: \"isOn\")"
    )
    public var boolValue: Bool? { nil }

    /// Unavailable: a section has no value.
    @available(
        *, unavailable,
        message: "This is a section, not a setting: config[\"Home\"]?.integer(forKey: \"columns\")"
    )
    public var integerValue: Int? { nil }

    /// Unavailable: a section has no value.
    @available(
        *, unavailable,
        message: "This is a section, not a setting: config[\"Home\"]?.double(forKey: \"ratio\")"
    )
    public var doubleValue: Double? { nil }

    /// Unavailable: a section has no value.
    @available(
        *, unavailable,
        message: "This is a section, not a setting: config[\"Home\"]?.string(forKey: \"title\")"
    )
    public var stringValue: String? { nil }
}

extension ActiveConfigSection {
    /// Unavailable: a section has no value.
    @available(
        *, unavailable,
        message: "This is a section, not a setting: config[\"Home\"]?.bool(forKey: \"isOn\")"
    )
    public var boolValue: Bool? { nil }

    /// Unavailable: a section has no value.
    @available(
        *, unavailable,
        message: "This is a section, not a setting: config[\"Home\"]?.integer(forKey: \"columns\")"
    )
    public var integerValue: Int? { nil }

    /// Unavailable: a section has no value.
    @available(
        *, unavailable,
        message: "This is a section, not a setting: config[\"Home\"]?.double(forKey: \"ratio\")"
    )
    public var doubleValue: Double? { nil }

    /// Unavailable: a section has no value.
    @available(
        *, unavailable,
        message: "This is a section, not a setting: config[\"Home\"]?.string(forKey: \"title\")"
    )
    public var stringValue: String? { nil }
}
