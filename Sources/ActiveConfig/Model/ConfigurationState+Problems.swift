extension ConfigurationState {
    /// Parts of the document that an app does not get unchanged: sections and settings that do not
    /// have the format's shape, which are left out (FORMAT 3.2, 3.3), and integers beyond 64 bits,
    /// which are read as the nearest double (FORMAT 4.1).
    ///
    /// ```swift
    /// let state = try ConfigurationState(jsonData: Data(contentsOf: url))
    /// for problem in state.problems { print(problem) }
    /// // The setting 'Home.title' is a string where {"value": …} is expected, so it is left out.
    /// ```
    ///
    /// Sorted by section and name, at most 50. They are not part of equality, the hash or
    /// ``jsonData()``; the framework's stores keep them. A configuration created in code has none.
    /// An integer is quoted with at most 40 digits; a setting with several has one problem.
    /// Integers in ``meta`` have none.
    public var problems: [SettingProblem] { problems { _ in false } }

    /// The problems, without the digits of a secret.
    func problems(isSecret: (SettingPath) -> Bool) -> [SettingProblem] {
        shapeProblems.map { path, problem in
            let masked = isSecret(path) ? problem.maskedReason : nil
            return SettingProblem(path, reason: masked ?? problem.reason)
        }
    }

    private var shapeProblems: [(path: SettingPath, problem: ShapeProblem)] {
        let count = ShapeProblem.maximumCount
        // A publisher controls the number of sections and settings.
        let names = sections.lazy.filter { !$0.value.table.shapeProblems.isEmpty }.map(\.key)
            .firstByBytes(count)
        var problems: [(path: SettingPath, problem: ShapeProblem)] = []
        for name in names where problems.count < count {
            let ofSection = sections[name]?.table.shapeProblems ?? []
            problems += ofSection.sorted { $0.settingName.precedes($1.settingName) }
                .map { (SettingPath(name, $0.settingName), $0) }
        }
        return Array(problems.prefix(count))
    }

    /// The problems to store: the document that ``jsonData()`` writes does not have them.
    var storedProblems: SettingValue? {
        let problems = shapeProblems
        if problems.isEmpty { return nil }
        return .array(
            problems.map { path, problem in
                let texts = [path.sectionName, path.name, problem.reason, problem.maskedReason]
                return .array(texts.compactMap { $0.map(SettingValue.string) })
            })
    }

    /// Adds the problems stored beside the document.
    mutating func addProblems(stored: SettingValue?) {
        var problems: [String: [ShapeProblem]] = [:]
        for entry in stored?.arrayValue ?? [] {
            guard let texts = entry.stringArrayValue, 3...4 ~= texts.count else { continue }
            problems[texts[0], default: []].append(
                ShapeProblem(
                    settingName: texts[1], reason: texts[2],
                    maskedReason: texts.count == 4 ? texts[3] : nil))
        }
        for (name, problems) in problems { sections[name] = sections[name]?.with(problems) }
    }

    /// One sentence for each problem, for the log; nil when there is none.
    ///
    /// `subject` names the document, such as "The bootstrap configuration /a.json".
    func problemsText(of subject: String, isSecret: (SettingPath) -> Bool) -> String? {
        let problems = problems(isSecret: isSecret)
        guard !problems.isEmpty else { return nil }
        let shown = problems.prefix(10).map(\.description)
        let rest = problems.count - shown.count
        return "\(subject) has parts that are left out or rounded. "
            + shown.joined(separator: " ") + (rest > 0 ? " There are \(rest) more." : "")
    }
}

extension ActiveConfigSection {
    /// The same settings with other problems.
    fileprivate func with(_ problems: [ShapeProblem]) -> ActiveConfigSection {
        ActiveConfigSection(table.settings, source: table.source, shapeProblems: problems)
    }
}
