/// A section or a setting of another shape than the format's, which is left out (FORMAT 3.2, 3.3).
struct ShapeProblem: Sendable, Hashable {
    /// Number of problems that are kept of a document; a publisher decides how many there are.
    static let maximumCount = 50
    /// Number of problems that are looked at in a section.
    static let maximumCountInSection = 1_000

    /// Empty: the section itself.
    let settingName: String
    /// The end of a sentence about the section or the setting.
    let reason: String

    /// A section of another kind than an object.
    static func section(_ kind: String) -> ShapeProblem {
        ShapeProblem(
            settingName: "", reason: "is \(kind) where an object with \"settings\" is expected")
    }

    static func settings(_ kind: String) -> ShapeProblem {
        ShapeProblem(
            settingName: "", reason: "has \"settings\" that are \(kind), not an object")
    }

    static let noSettings = ShapeProblem(settingName: "", reason: "has no \"settings\"")

    static func setting(_ name: String, _ kind: String) -> ShapeProblem {
        ShapeProblem(
            settingName: name,
            reason: "is \(kind) where {\"value\": …} is expected, so it is left out")
    }

    static func noValue(_ name: String) -> ShapeProblem {
        ShapeProblem(settingName: name, reason: "has no \"value\", so it is left out")
    }
}

extension SettingValue {
    /// For a message about the shape, such as "a string".
    var kindInJSON: String {
        if case .integer = self { return "a number" }
        return kindDescription
    }
}

extension ActiveConfigSection {
    /// A section without settings, and the reason.
    init(_ problem: ShapeProblem) {
        self.init(NameTable([:]), shapeProblems: [problem])
    }

    /// Reads a section in the shape of the exchange format (FORMAT 3.2, 3.3).
    init(ofFormat value: SettingValue) {
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
        self.init(NameTable(values), shapeProblems: problems)
    }

    /// The same settings with other problems.
    func with(_ problems: [ShapeProblem]) -> ActiveConfigSection {
        ActiveConfigSection(table.settings, source: table.source, shapeProblems: problems)
    }
}

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
        let names = sections.filter { !$0.value.table.shapeProblems.isEmpty }.keys.sortedByBytes()
        let problems = names.lazy.flatMap { name in
            (self.sections[name]?.table.shapeProblems ?? [])
                .sorted { $0.settingName.precedes($1.settingName) }
                .map {
                    SettingProblem(
                        sectionName: name, settingName: $0.settingName, reason: $0.reason)
                }
        }
        return Array(problems.prefix(ShapeProblem.maximumCount))
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
