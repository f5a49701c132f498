extension ActiveConfigSection {
    /// A section without settings, and the reason.
    init(_ problem: ShapeProblem, _ allowance: inout ShapeProblem.Allowance) {
        self.init(NameTable([:]), shapeProblems: allowance.take() ? [problem] : [])
    }

    /// Reads a section in the shape of the exchange format (FORMAT 3.2, 3.3).
    init(ofFormat value: SettingValue, _ allowance: inout ShapeProblem.Allowance) {
        guard let members = value.dictionaryValue else {
            self.init(.section(value.kindInJSON), &allowance)
            return
        }
        guard let settings = members["settings"] else {
            self.init(.noSettings, &allowance)
            return
        }
        guard let settings = settings.dictionaryValue else {
            self.init(.settings(settings.kindInJSON), &allowance)
            return
        }
        var problems: [ShapeProblem] = []
        var values: [String: SettingValue] = [:]
        for (name, setting) in settings {
            let members = setting.dictionaryValue
            if let value = members?["value"] {
                values[name] = value
            } else if allowance.take() {
                problems.append(
                    members == nil ? .setting(name, setting.kindInJSON) : .noValue(name))
            }
        }
        self.init(NameTable(values), shapeProblems: problems)
    }
}
