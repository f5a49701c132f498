extension ConfigurationState {
    /// The sections and settings of another shape than the format's, which are left out
    /// (FORMAT 3.2, 3.3): a setting without `value`, a section without `settings`.
    ///
    /// ```swift
    /// let state = try ConfigurationState(jsonData: Data(contentsOf: url))
    /// for problem in state.problems { print(problem) }
    /// // The setting 'Home.title' is a string where {"value": …} is expected, so it is left out.
    /// ```
    ///
    /// Sorted by section and name, at most 50. They take no part in equality, the hash or
    /// ``jsonData()``; the framework's stores keep them. A configuration created in code has none.
    public var problems: [SettingProblem] {
        let count = ShapeProblem.maximumCount
        // A publisher decides how many sections there are.
        let names = sections.lazy.filter { !$0.value.table.shapeProblems.isEmpty }.map(\.key)
            .firstByBytes(count)
        var problems: [SettingProblem] = []
        for name in names where problems.count < count {
            problems += (sections[name]?.table.shapeProblems ?? [])
                .sorted { $0.settingName.precedes($1.settingName) }
                .map {
                    SettingProblem(
                        sectionName: name, settingName: $0.settingName, reason: $0.reason)
                }
        }
        return Array(problems.prefix(count))
    }

    /// The problems as they are stored.
    var storedProblems: SettingValue? {
        let problems = problems
        if problems.isEmpty { return nil }
        return .array(
            problems.map {
                .array([.string($0.sectionName), .string($0.settingName), .string($0.reason)])
            })
    }

    /// Adds the problems that were stored beside the document.
    mutating func addProblems(stored: SettingValue?) {
        var problems: [String: [ShapeProblem]] = [:]
        for entry in stored?.arrayValue ?? [] {
            guard let texts = entry.stringArrayValue, texts.count == 3 else { continue }
            problems[texts[0], default: []].append(
                ShapeProblem(settingName: texts[1], reason: texts[2]))
        }
        for (name, problems) in problems { sections[name] = sections[name]?.with(problems) }
    }

    /// One sentence for each problem, for the log; nil when there is none.
    ///
    /// `subject` is what has the problems, such as "The bootstrap configuration /a.json".
    func problemsText(of subject: String) -> String? {
        let problems = problems
        guard !problems.isEmpty else { return nil }
        let shown = problems.prefix(10).map(\.description)
        let rest = problems.count - shown.count
        return "\(subject) has parts of another shape than the format's. "
            + shown.joined(separator: " ") + (rest > 0 ? " There are \(rest) more." : "")
    }
}

extension ActiveConfigSection {
    /// The same settings with other problems.
    fileprivate func with(_ problems: [ShapeProblem]) -> ActiveConfigSection {
        ActiveConfigSection(table.settings, source: table.source, shapeProblems: problems)
    }
}
