import JSONTree
import OrderedCollections

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
        _ sides: MergeSides<NamedValues<TemplateParameter>>, group: String?
    ) -> NamedValues<TemplateParameter> {
        var merged: NamedValues<TemplateParameter> = [:]
        for key in MergedOrder(sides.map { Array($0.keys) }).names(preferring: .theirs) {
            let place = ParameterPlace(group: group, key: key.text)
            let parameters = sides[key]
            let parameter =
                if let parameters = Self.separable(parameters) {
                    mergeFields(place, parameters)
                } else {
                    choose(
                        .parameter(group: group, key: key.text), parameters, json: \.json)
                }
            if let parameter { merged[key] = parameter }
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
        mergeNotes(sides, into: &merged, subject: subject)
        merged.unknownFields = mergeMembers(
            sides.map(\.unknownFields), subject: subject, json: { $0 })
        return merged
    }

    /// Merges owner, tags, permanence and archiving of a parameter.
    private mutating func mergeNotes(
        _ sides: MergeSides<TemplateParameter>, into merged: inout TemplateParameter,
        subject: (String) -> TemplateMerge.Subject
    ) {
        merged.owner = choose(subject("owner"), sides.map(\.owner), json: { .string($0) })
        merged.tags =
            choose(
                subject("tags"), sides.map { $0.tags.isEmpty ? nil : $0.tags },
                json: { .array($0.map { .string($0) }) })
            ?? []
        merged.permanentReason = choose(
            subject("permanent"), sides.map(\.permanentReason), json: { .string($0) })
        merged.isArchived =
            choose(subject("archived"), sides.map(\.isArchived), json: { .bool($0) }) ?? false
    }

    /// Merges groups by name; their parameters are merged by key.
    private mutating func mergeGroups(
        _ sides: MergeSides<NamedValues<ParameterGroup>>
    ) -> NamedValues<ParameterGroup> {
        var merged: NamedValues<ParameterGroup> = [:]
        for name in MergedOrder(sides.map { Array($0.keys) }).names(preferring: .theirs) {
            let groups = sides[name]
            let parameters = mergeParameters(
                groups.map { $0?.parameters ?? [:] }, group: name.text)
            let shells = groups.map { $0?.withoutParameters }
            var shell = choose(.group(name: name.text), shells, json: \.shellJSON)
            // A kept parameter needs its group, even if a side removed the group.
            if shell == nil, !parameters.isEmpty {
                shell = shells.theirs ?? shells.mine ?? shells.base
            }
            shell?.parameters = parameters
            if let shell { merged[name] = shell }
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
        _ sides: MergeSides<NamedValues<Thing>>,
        subject: (String) -> TemplateMerge.Subject, json: (Thing) -> JSONNode
    ) -> NamedValues<Thing> {
        var merged: NamedValues<Thing> = [:]
        for name in MergedOrder(sides.map { Array($0.keys) }).names(preferring: .theirs) {
            let member = choose(subject(name.text), sides[name], json: json)
            if let member { merged[name] = member }
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
    var conditionsByName: NamedValues<TemplateCondition> {
        NamedValues(
            conditions.map { (key: $0.name, value: $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The conditions for which a parameter has a value that is new or differs from an older
    /// template's.
    func newlyUsedConditions(since base: RemoteConfigTemplate) -> Set<ExactText> {
        var names: Set<ExactText> = []
        func note(
            _ parameters: NamedValues<TemplateParameter>,
            _ old: NamedValues<TemplateParameter>
        ) {
            for (key, parameter) in parameters where !parameter.conditionalValues.isEmpty {
                let before = old[key]?.conditionalValues ?? [:]
                for (name, value) in parameter.conditionalValues
                where before[name]?.json != value.json {
                    names.insert(ExactText(name))
                }
            }
        }
        note(parameters, base.parameters)
        for (name, group) in parameterGroups {
            note(group.parameters, base.parameterGroups[name]?.parameters ?? [:])
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

extension NamedValues<TemplateParameter> {
    fileprivate mutating func removeValues(underConditions names: Set<ExactText>) {
        for index in values.indices
        where values[index].conditionalValues.keys.contains(where: names.contains) {
            values[index].conditionalValues.removeAll { names.contains(ExactText($0.key)) }
        }
    }
}

extension TemplateParameter {
    /// The type; a missing type counts as `STRING`.
    var type: ParameterValueType { valueType ?? .string }

    fileprivate func hasSameValues(as other: TemplateParameter) -> Bool {
        let (mine, others) = (conditionalValues, other.conditionalValues)
        return type == other.type && defaultValue?.json == other.defaultValue?.json
            && mine.count == others.count
            && mine.keys.allSatisfy { mine[$0]?.json == others[$0]?.json }
    }

    /// A field other than the conditional values; nil when it does not exist.
    func field(named name: String) -> JSONNode? {
        switch name {
        case "defaultValue": defaultValue?.json
        case "description": description.map { .string($0) }
        case "valueType": valueType.map { .string($0.rawValue) }
        case "masterKeyOnly": .bool(isMasterKeyOnly)
        case "owner": owner.map { .string($0) }
        case "tags": tagsJSON
        case "permanent": permanentReason.map { .string($0) }
        case "archived": .bool(isArchived)
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
        var members: NamedValues<JSONNode> = [:]
        members["description"] = description.map { .string($0) }
        return .object(members.adding(unknownFields))
    }
}
