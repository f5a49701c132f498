import JSONTree
import OrderedCollections
import Targeting

/// Merges three templates, except for the order of conditions, and collects the conflicts.
struct TemplateMerger {
    /// The chosen side of a conflict by its path.
    let choice: (String) -> TemplateMerge.Side

    private(set) var conflicts: [TemplateMerge.Conflict] = []

    /// The conditions that one side deleted while the other one changed or used them.
    private var disputed: Set<ExactText> = []

    init(choice: @escaping (String) -> TemplateMerge.Side) {
        self.choice = choice
    }

    mutating func merge(_ sides: MergeSides<RemoteConfigTemplate>) -> RemoteConfigTemplate {
        var merged = RemoteConfigTemplate()
        merged.conditions = mergeConditions(sides)
        // The side that keeps a disputed condition counts as adding it with all its values.
        var sides = sides
        let original = TemplateMerge.Units(sides.base)
        sides.base.removeValues(underConditions: disputed)
        merged.parameters = mergeParameters(sides.map(\.parameters), group: nil)
        merged.parameterGroups = mergeGroups(sides.map(\.parameterGroups))
        merged.unknownFields = mergeMembers(
            sides.map(\.unknownFields), subject: { .field(name: $0) }, json: { $0 })
        if !disputed.isEmpty {
            for index in conflicts.indices {
                conflicts[index].base = original[conflicts[index].subject]
            }
        }
        let names = Set(merged.conditions.map { ExactText($0.name) })
        let all = sides.map { $0.conditions.map { ExactText($0.name) } }
        merged.removeValues(
            underConditions: Set(all.base + all.mine + all.theirs).subtracting(names))
        return merged
    }

    private mutating func mergeParameters(
        _ sides: MergeSides<OrderedDictionary<String, TemplateParameter>>, group: String?
    ) -> OrderedDictionary<String, TemplateParameter> {
        let members = sides.map(ExactMembers.init)
        var merged: OrderedDictionary<String, TemplateParameter> = [:]
        for key in MergedOrder(members.map(\.names)).names(preferring: .theirs) {
            let place = ParameterPlace(group: group, key: key.text)
            let parameters = members[key]
            let parameter =
                if let parameters = Self.separable(parameters) {
                    mergeFields(place, parameters)
                } else {
                    choose(
                        .parameter(group: group, key: key.text), parameters, json: \.json)
                }
            if let parameter { merged[key.text] = parameter }
        }
        return merged
    }

    private struct ParameterPlace {
        let group: String?
        let key: String
    }

    /// The parameters if their fields can be merged one by one.
    ///
    /// Nil if the parameter is one unit: a value depends on its type, and an added or removed
    /// parameter has no fields on one side.
    private static func separable(
        _ sides: MergeSides<TemplateParameter?>
    ) -> MergeSides<TemplateParameter>? {
        guard let base = sides.base, let mine = sides.mine, let theirs = sides.theirs else {
            return nil
        }
        let isRetyped = mine.type != theirs.type
        if isRetyped, !mine.hasSameValues(as: base), !theirs.hasSameValues(as: base) { return nil }
        return MergeSides(base: base, mine: mine, theirs: theirs)
    }

    private mutating func mergeFields(
        _ place: ParameterPlace, _ sides: MergeSides<TemplateParameter>
    ) -> TemplateParameter {
        func subject(_ field: String) -> TemplateMerge.Subject {
            .parameterField(group: place.group, key: place.key, field: field)
        }
        var merged = TemplateParameter()
        merged.defaultValue = choose(
            subject("defaultValue"), sides.map(\.defaultValue), json: \.json)
        merged.conditionalValues = mergeMembers(
            sides.map(\.conditionalValues),
            subject: {
                .conditionalValue(group: place.group, key: place.key, condition: $0)
            }, json: \.json)
        merged.description = choose(
            subject("description"), sides.map(\.description), json: { .string($0) })
        merged.valueType = choose(
            subject("valueType"), sides.map(\.valueType), json: { .string($0.rawValue) })
        merged.isMasterKeyOnly =
            choose(
                subject("masterKeyOnly"), sides.map(\.isMasterKeyOnly), json: { .bool($0) })
            ?? false
        merged.unknownFields = mergeMembers(
            sides.map(\.unknownFields), subject: subject, json: { $0 })
        return merged
    }

    /// Merges groups by name; their parameters are merged by key.
    private mutating func mergeGroups(
        _ sides: MergeSides<OrderedDictionary<String, ParameterGroup>>
    ) -> OrderedDictionary<String, ParameterGroup> {
        let members = sides.map(ExactMembers.init)
        var merged: OrderedDictionary<String, ParameterGroup> = [:]
        for name in MergedOrder(members.map(\.names)).names(preferring: .theirs) {
            let groups = members[name]
            let parameters = mergeParameters(
                groups.map { $0?.parameters ?? [:] }, group: name.text)
            let shells = groups.map { $0?.withoutParameters }
            var shell = choose(.group(name: name.text), shells, json: \.shellJSON)
            // A kept parameter needs its group, even if a side removed the group.
            if shell == nil, !parameters.isEmpty {
                shell = shells.theirs ?? shells.mine ?? shells.base
            }
            shell?.parameters = parameters
            if let shell { merged[name.text] = shell }
        }
        return merged
    }

    /// Merges the conditions of both sides, in any order.
    private mutating func mergeConditions(
        _ sides: MergeSides<RemoteConfigTemplate>
    ) -> [TemplateCondition] {
        let members = sides.map(\.conditionsByName)
        let usedByMine = sides.mine.newlyUsedConditions(since: sides.base)
        let usedByThem = sides.theirs.newlyUsedConditions(since: sides.base)
        let order = MergedOrder(sides.map { $0.conditions.map { ExactText($0.name) } })
        return order.names(preferring: .theirs).compactMap { name in
            let condition = members.map { $0[name] }
            // Removing a condition would silently lose a value that the other side set under it.
            let isUsedAgain =
                (condition.theirs == nil && usedByMine.contains(name))
                || (condition.mine == nil && usedByThem.contains(name))
            let known = conflicts.count
            let chosen = choose(
                .condition(name: name.text), condition,
                isConflict: condition.base != nil && isUsedAgain, json: \.json)
            if conflicts.count > known, condition.base != nil,
                (condition.mine == nil) != (condition.theirs == nil)
            {
                disputed.insert(name)
            }
            return chosen
        }
    }

    private mutating func mergeMembers<Thing>(
        _ sides: MergeSides<OrderedDictionary<String, Thing>>,
        subject: (String) -> TemplateMerge.Subject, json: (Thing) -> JSONNode
    ) -> OrderedDictionary<String, Thing> {
        let members = sides.map(ExactMembers.init)
        var merged: OrderedDictionary<String, Thing> = [:]
        for name in MergedOrder(members.map(\.names)).names(preferring: .theirs) {
            let member = choose(subject(name.text), members[name], json: json)
            if let member { merged[name.text] = member }
        }
        return merged
    }

    /// Chooses a side of one unit; nil represents a missing unit.
    private mutating func choose<Thing>(
        _ subject: TemplateMerge.Subject, _ sides: MergeSides<Thing?>, isConflict: Bool = false,
        json: (Thing) -> JSONNode
    ) -> Thing? {
        let nodes = sides.map { $0.map(json) }
        if nodes.mine == nodes.theirs { return sides.theirs }
        if !isConflict {
            if nodes.mine == nodes.base { return sides.theirs }
            if nodes.theirs == nodes.base { return sides.mine }
        }
        conflicts.append(
            TemplateMerge.Conflict(
                subject: subject, base: nodes.base, mine: nodes.mine, theirs: nodes.theirs))
        return sides[choice(subject.path.description)]
    }
}

extension RemoteConfigTemplate {
    var conditionsByName: [ExactText: TemplateCondition] {
        Dictionary(
            conditions.map { (ExactText($0.name), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The conditions for which a parameter has a value that is new or differs from an older
    /// template's.
    fileprivate func newlyUsedConditions(since base: RemoteConfigTemplate) -> Set<ExactText> {
        var names: Set<ExactText> = []
        func note(
            _ parameters: OrderedDictionary<String, TemplateParameter>,
            _ old: OrderedDictionary<String, TemplateParameter>
        ) {
            let old = ExactMembers(old)
            for (key, parameter) in parameters where !parameter.conditionalValues.isEmpty {
                let before = ExactMembers(old[ExactText(key)]?.conditionalValues ?? [:])
                for (name, value) in parameter.conditionalValues {
                    let name = ExactText(name)
                    if before[name]?.json != value.json { names.insert(name) }
                }
            }
        }
        note(parameters, base.parameters)
        let groups = ExactMembers(base.parameterGroups)
        for (name, group) in parameterGroups {
            note(group.parameters, groups[ExactText(name)]?.parameters ?? [:])
        }
        return names
    }

    fileprivate mutating func removeValues(underConditions names: Set<ExactText>) {
        guard !names.isEmpty else { return }
        parameters.removeValues(underConditions: names)
        for index in parameterGroups.values.indices {
            parameterGroups.values[index].parameters.removeValues(underConditions: names)
        }
    }
}

extension OrderedDictionary<String, TemplateParameter> {
    fileprivate mutating func removeValues(underConditions names: Set<ExactText>) {
        func isGone(_ name: String) -> Bool { names.contains(ExactText(name)) }
        for index in values.indices
        where values[index].conditionalValues.keys.contains(where: isGone) {
            values[index].conditionalValues.removeAll { isGone($0.key) }
        }
    }
}

extension TemplateParameter {
    /// The type; a missing type counts as `STRING`.
    fileprivate var type: ParameterValueType { valueType ?? .string }

    fileprivate func hasSameValues(as other: TemplateParameter) -> Bool {
        func values(_ parameter: TemplateParameter) -> ExactMembers<ParameterValue> {
            ExactMembers(parameter.conditionalValues)
        }
        let (mine, others) = (values(self), values(other))
        return type == other.type && defaultValue?.json == other.defaultValue?.json
            && mine.names.count == others.names.count
            && mine.names.allSatisfy { mine[$0]?.json == others[$0]?.json }
    }

    /// A field other than the conditional values; nil when it does not exist.
    func field(named name: String) -> JSONNode? {
        switch name {
        case "defaultValue": defaultValue?.json
        case "description": description.map { .string($0) }
        case "valueType": valueType.map { .string($0.rawValue) }
        case "masterKeyOnly": .bool(isMasterKeyOnly)
        default: unknownFields[name]
        }
    }
}

extension ParameterGroup {
    fileprivate var withoutParameters: ParameterGroup {
        ParameterGroup(description: description, unknownFields: unknownFields)
    }

    /// The members of the group's object without its parameters.
    var shellJSON: JSONNode {
        var members: OrderedDictionary<String, JSONNode> = [:]
        members["description"] = description.map { .string($0) }
        return .object(members.adding(unknownFields))
    }
}
