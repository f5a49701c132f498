extension ActiveConfigSection {
    /// A section without settings, and the reason.
    init(_ problem: ShapeProblem) {
        self.init(NameTable([:]), shapeProblems: [problem])
    }

    /// Reads a section in the shape of the exchange format (FORMAT 3.2, 3.3).
    init(ofFormat value: SettingValue, _ largeIntegers: LargeIntegers? = nil) {
        guard let members = value.dictionaryValue else {
            self.init(.section(value.kindInJSON))
            return
        }
        guard let settings = members["settings"] else {
            self.init(.noSettings)
            return
        }
        guard let settings = settings.dictionaryValue else {
            self.init(.settings(settings.kindInJSON))
            return
        }
        var problems: [ShapeProblem] = []
        var values: [String: SettingValue] = [:]
        for (name, setting) in settings {
            let members = setting.dictionaryValue
            if let value = members?["value"] {
                values[name] = value
            } else if problems.count < ShapeProblem.maximumCountInSection {
                problems.append(
                    members == nil ? .setting(name, setting.kindInJSON) : .noValue(name))
            }
        }
        self.init(
            NameTable(values), shapeProblems: problems,
            largeIntegers: largeIntegers?["settings"]?.bySetting ?? [:])
    }
}
