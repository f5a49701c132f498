public import JSONTree

/// The differences between two templates: per condition, per group, and per key of a section.
///
/// Ignores the version, members of the template that this backend does not know, and the order of
/// parameters. The order of conditions counts, since the first true one wins.
public struct TemplateDiff: Sendable, Hashable {
    /// The kind of a change.
    public enum Change: String, Sendable, Hashable {
        /// In the new template only.
        case added = "ADDED"
        /// In the old template only.
        case removed = "REMOVED"
        /// In both, and different.
        case changed = "CHANGED"
    }

    /// A part that differs; nil represents a missing value.
    public struct Part: Sendable, Hashable {
        /// The part's name, such as `defaultValue`, `valueType` or `conditionalValues.beta`.
        public let name: String
        /// The old value.
        public let old: JSONNode?
        /// The new value.
        public let new: JSONNode?
    }

    /// A condition that differs.
    public struct ConditionDifference: Sendable, Hashable {
        /// The name.
        public let name: String
        /// The kind of the change.
        public let change: Change
        /// The parts that differ.
        ///
        /// Among the conditions in both templates, the smallest set that explains the new order
        /// counts as moved; these have a `position` among their parts.
        public let parts: [Part]
    }

    /// A group that differs, apart from its parameters.
    public struct GroupDifference: Sendable, Hashable {
        /// The name.
        public let name: String
        /// The kind of the change.
        public let change: Change
        /// The parts that differ.
        public let parts: [Part]
    }

    /// A parameter that differs.
    public struct ParameterDifference: Sendable, Hashable {
        /// The section.
        public let section: String
        /// The key.
        public let key: String
        /// The kind of the change.
        public let change: Change
        /// The parts that differ.
        public let parts: [Part]
    }

    /// The conditions that differ, in the order of the new template, then those removed.
    public let conditions: [ConditionDifference]

    /// The groups that differ, by name.
    public let groups: [GroupDifference]

    /// The parameters that differ, by section and key.
    public let parameters: [ParameterDifference]

    /// A Boolean value that indicates whether the templates are equal.
    public var isEmpty: Bool { conditions.isEmpty && groups.isEmpty && parameters.isEmpty }

    /// Compares two templates.
    ///
    /// - Parameters:
    ///   - old: The template before.
    ///   - new: The template after.
    public init(from old: RemoteConfigTemplate, to new: RemoteConfigTemplate) {
        conditions = Self.conditions(from: old, to: new)
        groups = Self.groups(from: old.parameterGroups, to: new.parameterGroups)
        let before = old.sections
        let after = new.sections
        var parameters: [ParameterDifference] = []
        for section in Set(before.keys).union(after.keys).sortedByBytes() {
            let oldParameters = before[section] ?? [:]
            let newParameters = after[section] ?? [:]
            // Sort and split only the few that differ.
            let changed = oldParameters.filter { key, old in
                newParameters[key].map { !old.isSame(as: $0) } ?? true
            }.names
            let added = newParameters.names.filter { oldParameters[$0] == nil }
            for key in (Array(changed) + added).sortedByBytes() {
                let parts = Self.parts(
                    from: oldParameters[key]?.parts ?? [:], to: newParameters[key]?.parts ?? [:])
                let change = Self.change(from: oldParameters[key], to: newParameters[key])
                guard change != .changed || !parts.isEmpty else { continue }
                parameters.append(
                    ParameterDifference(section: section, key: key, change: change, parts: parts))
            }
        }
        self.parameters = parameters
    }

    private static func conditions(
        from old: RemoteConfigTemplate, to new: RemoteConfigTemplate
    ) -> [ConditionDifference] {
        let oldNames = old.conditions.map(\.name)
        let newNames = new.conditions.map(\.name)
        let common = oldNames.exactNames.intersection(newNames.exactNames)
        let oldPlaces = places(of: oldNames.filter(common.contains(name:)))
        let newPlaces = places(of: newNames.filter(common.contains(name:)))
        let stayed = Set(newNames.compactMap { oldPlaces[$0] }.longestIncreasingSubsequence)
        let (before, after) = (old.conditionsByName, new.conditionsByName)
        let names = newNames + oldNames.filter { after[$0] == nil }
        return names.compactMap { name in
            var parts = parts(
                from: before[name]?.parts ?? [:], to: after[name]?.parts ?? [:])
            if let oldPlace = oldPlaces[name], let newPlace = newPlaces[name],
                !stayed.contains(oldPlace)
            {
                parts.append(
                    Part(
                        name: "position", old: .number("\(oldPlace)"),
                        new: .number("\(newPlace)")))
            }
            let change = change(from: before[name], to: after[name])
            guard change != .changed || !parts.isEmpty else { return nil }
            return ConditionDifference(name: name, change: change, parts: parts)
        }
    }

    private static func groups(
        from old: NamedValues<ParameterGroup>,
        to new: NamedValues<ParameterGroup>
    ) -> [GroupDifference] {
        Set(old.keys).union(new.keys).sortedByBytes().compactMap { name in
            let parts = parts(from: old[name]?.parts ?? [:], to: new[name]?.parts ?? [:])
            let change = change(from: old[name], to: new[name])
            guard change != .changed || !parts.isEmpty else { return nil }
            return GroupDifference(name: name, change: change, parts: parts)
        }
    }

    /// The positions of the names, from 1.
    private static func places(of names: [String]) -> NamedValues<Int> {
        NamedValues(
            names.enumerated().map { (key: $1, value: $0 + 1) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The change of an item that is in at least one template.
    private static func change<Thing>(from old: Thing?, to new: Thing?) -> Change {
        if old == nil { return .added }
        return new == nil ? .removed : .changed
    }

    /// The parts that differ: the new template's in order, then those removed.
    private static func parts(
        from old: NamedValues<JSONNode>, to new: NamedValues<JSONNode>
    ) -> [Part] {
        let names = Array(new.names) + old.names.filter { new[$0] == nil }
        return names.compactMap { name in
            old[name] == new[name] ? nil : Part(name: name, old: old[name], new: new[name])
        }
    }
}

extension TemplateCondition {
    /// The names of the parts that tell people about a condition and decide no value.
    static let describingPartNames = ["tagColor"]

    /// The compared parts of a condition.
    var parts: NamedValues<JSONNode> {
        var parts: NamedValues<JSONNode> = [:]
        parts["expression"] = expression.map { .string($0) }
        parts["condition"] = serverCondition
        parts["tagColor"] = tagColor.map { .string($0) }
        return parts.adding(unknownFields)
    }
}

extension ParameterGroup {
    /// The compared parts of a group, without its parameters.
    fileprivate var parts: NamedValues<JSONNode> {
        var parts: NamedValues<JSONNode> = [:]
        parts["description"] = description.map { .string($0) }
        return parts.adding(unknownFields)
    }
}

extension TemplateParameter {
    /// True when another parameter is identical byte by byte, so that no part differs.
    fileprivate func isSame(as other: TemplateParameter) -> Bool {
        valueType == other.valueType && isMasterKeyOnly == other.isMasterKeyOnly
            && isArchived == other.isArchived
            && Self.isSame(description, other.description) && Self.isSame(owner, other.owner)
            && Self.isSame(permanentReason, other.permanentReason)
            && tags.elementsEqual(other.tags) { $0.hasSameBytes(as: $1) }
            && conditionalValues.count == other.conditionalValues.count
            && ParameterValue.isSame(defaultValue, other.defaultValue)
            && zip(conditionalValues, other.conditionalValues).allSatisfy { mine, theirs in
                mine.key.hasSameBytes(as: theirs.key)
                    && ParameterValue.isSame(mine.value, theirs.value)
            }
            && unknownFields.isEmpty && other.unknownFields.isEmpty
    }

    private static func isSame(_ left: String?, _ right: String?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.hasSameBytes(as: right)
    }

    /// The names of the parts that tell people about a parameter and decide no value.
    static let describingPartNames = ["description", "owner", "tags", "permanent"]

    /// The compared parts of a parameter; a missing type counts as `STRING`.
    var parts: NamedValues<JSONNode> {
        var parts: NamedValues<JSONNode> = [:]
        parts["defaultValue"] = defaultValue?.json
        for (name, value) in conditionalValues { parts["conditionalValues.\(name)"] = value.json }
        parts["valueType"] = .string((valueType ?? .string).rawValue)
        parts["description"] = description.map { .string($0) }
        if isMasterKeyOnly { parts["masterKeyOnly"] = true }
        parts["owner"] = owner.map { .string($0) }
        parts["tags"] = tagsJSON
        parts["permanent"] = permanentReason.map { .string($0) }
        if isArchived { parts["archived"] = true }
        // An unknown field can have the name of a part, such as "conditionalValues.x".
        for (name, value) in unknownFields {
            parts[
                parts[name] == nil && !name.hasPrefix("conditionalValues.")
                    ? name : "\(name) (unknown)"] = value
        }
        return parts
    }
}

extension ParameterValue {
    /// True when two values are identical byte by byte, and neither has unknown members.
    fileprivate static func isSame(_ left: ParameterValue?, _ right: ParameterValue?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        guard left.unknownFields.isEmpty, right.unknownFields.isEmpty else { return false }
        switch (left.content, right.content) {
        case (.value(let left), .value(let right)): return left.hasSameBytes(as: right)
        case (.useInAppDefault, .useInAppDefault): return true
        default: return false
        }
    }
}

extension [Int] {
    /// The longest subsequence in which each number is greater than the previous one.
    ///
    /// Applied to the old positions in the new order, it contains the items that did not move.
    var longestIncreasingSubsequence: [Int] {
        // The index of the smallest number that ends an increasing subsequence of each length.
        var ends: [Int] = []
        var predecessors: [Int?] = []
        for (index, number) in enumerated() {
            var low = 0
            var high = ends.count
            while low < high {
                let middle = (low + high) / 2
                if self[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            predecessors.append(low > 0 ? ends[low - 1] : nil)
            if low < ends.count { ends[low] = index } else { ends.append(index) }
        }
        var result: [Int] = []
        var next = ends.last
        while let index = next {
            result.append(self[index])
            next = predecessors[index]
        }
        return result.reversed()
    }
}
