public import JSONTree
public import Targeting
public import Templates

/// Counts the users whom the changed values of a template reach (API 3).
///
/// A true condition takes precedence over those below it, so a changed value may reach no user.
/// Users are counted one at a time and not stored.
public struct TemplateReach: Sendable {
    /// A value that a template adds or changes.
    public struct Value: Sendable, Hashable {
        /// The section of the setting.
        public let section: String
        /// The key of the setting.
        public let key: String
        /// The condition of the value; nil for the default value.
        public let condition: String?
        /// Number of users for whom the condition is true.
        public internal(set) var matching = 0
        /// Number of users who receive the value.
        public internal(set) var reached = 0
        /// Number of matching users who receive the value of a higher condition instead, by its
        /// name.
        public internal(set) var takenBy: [ExactText: Int] = [:]
        /// A higher condition that takes every matching user: one with the same expression, or
        /// `true`.
        public internal(set) var shadow: String?
    }

    /// The changed values by section and key, highest priority first.
    public private(set) var values: [Value] = []

    /// The conditions that changed, and those of ``values``.
    public private(set) var conditions: Set<ExactText>

    /// Number of users counted so far.
    public private(set) var count = 0

    private let compiled: CompiledTemplate

    /// For each value, the index of its condition and the indexes of the higher conditions with a
    /// value for the same setting.
    private var candidates: [(own: Int?, above: [Int])] = []

    /// The maximum number of values counted; a longer list is of no use to a reader.
    public static let maximumValues = 500

    /// True when more values than ``maximumValues`` changed.
    public private(set) var isCut = false

    /// Finds the values that differ between two templates.
    ///
    /// - Parameters:
    ///   - old: The earlier template; nil when none was published.
    ///   - new: The compiled later template.
    public init(from old: RemoteConfigTemplate?, to new: CompiledTemplate) {
        compiled = new
        let before = old?.withoutArchivedParameters.sections ?? [:]
        let after = new.template.sections
        let changed = Self.changedConditions(from: old, to: new.template)
        conditions = changed
        let texts = Self.firstIndexes(of: new.conditions.conditions.map(\.text))
        for (section, parameters) in after {
            for (key, parameter) in parameters {
                guard let compiled = new.parameter(forKey: key, inSection: section) else {
                    continue
                }
                addValues(
                    of: compiled, in: section, from: before[section]?[key], to: parameter,
                    changedConditions: changed, texts: texts)
                if isCut { return }
            }
        }
    }

    /// Adds the changed values of a setting, up to the limit.
    ///
    /// `texts` maps conditions with the same expression to the same number.
    private mutating func addValues(
        of parameter: CompiledParameter, in section: String, from was: TemplateParameter?,
        to now: TemplateParameter?, changedConditions: Set<ExactText>, texts: [Int]
    ) {
        let isRetyped = was?.valueType != now?.valueType
        let conditions = parameter.candidates.map(\.condition)
        for (place, condition) in conditions.enumerated() {
            let name = compiled.template.conditions[condition].name
            guard
                isRetyped || changedConditions.contains(name: name)
                    || was?.conditionalValues[name] != now?.conditionalValues[name]
            else { continue }
            guard hasRoom() else { return }
            let above = conditions.prefix(place)
            let shadow = above.first { other in
                texts[other] == texts[condition]
                    || compiled.conditions.conditions[other].text == "true"
            }
            values.append(
                Value(
                    section: section, key: parameter.key, condition: name,
                    shadow: shadow.map { compiled.template.conditions[$0].name }))
            candidates.append((condition, Array(above)))
            self.conditions.insert(ExactText(name))
        }
        if isRetyped || was?.defaultValue != now?.defaultValue, parameter.defaultValue != nil {
            guard hasRoom() else { return }
            values.append(Value(section: section, key: parameter.key, condition: nil))
            candidates.append((nil, conditions))
        }
    }

    private mutating func hasRoom() -> Bool {
        if values.count >= Self.maximumValues { isCut = true }
        return !isCut
    }

    /// For each text, the index of its first occurrence.
    private static func firstIndexes(of texts: [String]) -> [Int] {
        var indexes: [ExactText: Int] = [:]
        return texts.enumerated().map { index, text in
            let text = ExactText(text)
            if let first = indexes[text] { return first }
            indexes[text] = index
            return index
        }
    }

    /// Counts one user.
    ///
    /// - Parameter results: The results of the template's conditions for the user.
    public mutating func count(_ results: ConditionResults) {
        count += 1
        for index in values.indices {
            let (own, above) = candidates[index]
            if let own, !results[own] { continue }
            values[index].matching += 1
            if let winner = above.first(where: { results[$0] }) {
                let name = ExactText(compiled.template.conditions[winner].name)
                values[index].takenBy[name, default: 0] += 1
            } else {
                values[index].reached += 1
            }
        }
    }

    /// The conditions whose expression or position changed, and those that they passed: when a
    /// condition moves down, those now above it take its users.
    private static func changedConditions(
        from old: RemoteConfigTemplate?, to new: RemoteConfigTemplate
    ) -> Set<ExactText> {
        let old = old ?? RemoteConfigTemplate()
        let diff = TemplateDiff(from: old, to: new)
        var names = diff.conditions.filter { condition in
            condition.change != .changed || condition.parts.contains { $0.name != "tagColor" }
        }.map(\.name).exactNames
        let before = old.conditions.map { ExactText($0.name) }
        let after = new.conditions.map { ExactText($0.name) }
        let common = Set(before).intersection(after)
        let order = after.filter(common.contains)
        let moved = zip(before.filter(common.contains), order).enumerated()
            .filter { $0.element.0 != $0.element.1 }.map(\.offset)
        if let first = moved.first, let last = moved.last { names.formUnion(order[first...last]) }
        return names
    }
}
