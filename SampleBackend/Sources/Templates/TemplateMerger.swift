import JSONTree
import OrderedCollections

/// Merges three templates and collects the conflicts.
struct TemplateMerger {
    let choices: [String: TemplateMerge.Side]

    private(set) var conflicts: [TemplateMerge.Conflict] = []

    init(choices: [String: TemplateMerge.Side]) {
        self.choices = choices
    }

    mutating func merge(
        base: RemoteConfigTemplate, mine: RemoteConfigTemplate, theirs: RemoteConfigTemplate
    ) -> RemoteConfigTemplate {
        var merged = RemoteConfigTemplate()
        merged.conditions = mergeConditions(base: base, mine: mine, theirs: theirs)
        merged.parameters = mergeParameters(
            base: base.parameters, mine: mine.parameters, theirs: theirs.parameters, group: nil)
        merged.parameterGroups = mergeGroups(
            base: base.parameterGroups, mine: mine.parameterGroups, theirs: theirs.parameterGroups)
        merged.unknownFields = mergeMembers(
            base: base.unknownFields, mine: mine.unknownFields, theirs: theirs.unknownFields,
            subject: { .field(name: $0) }, json: { $0 })
        let names = Set(merged.conditions.map(\.name))
        let gone = Set((base.conditions + mine.conditions + theirs.conditions).map(\.name))
            .subtracting(names)
        merged.removeValues(underConditions: gone)
        return merged
    }

    private mutating func mergeParameters(
        base: NamedValues<TemplateParameter>,
        mine: NamedValues<TemplateParameter>,
        theirs: NamedValues<TemplateParameter>, group: String?
    ) -> NamedValues<TemplateParameter> {
        let order = MergedOrder(
            base: Array(base.names), mine: Array(mine.names), theirs: Array(theirs.names))
        var merged: NamedValues<TemplateParameter> = [:]
        for key in order.names(preferring: .theirs) {
            let place = ParameterPlace(group: group, key: key)
            if let (base, mine, theirs) = Self.separable(base[key], mine[key], theirs[key]) {
                merged[key] = mergeFields(place, base: base, mine: mine, theirs: theirs)
            } else {
                merged[key] = choose(
                    .parameter(group: group, key: key), base: base[key], mine: mine[key],
                    theirs: theirs[key], json: \.json)
            }
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
        _ base: TemplateParameter?, _ mine: TemplateParameter?, _ theirs: TemplateParameter?
    ) -> (TemplateParameter, TemplateParameter, TemplateParameter)? {
        guard let base, let mine, let theirs else { return nil }
        let isRetyped = mine.type != theirs.type
        if isRetyped, !mine.hasSameValues(as: base), !theirs.hasSameValues(as: base) { return nil }
        return (base, mine, theirs)
    }

    private mutating func mergeFields(
        _ place: ParameterPlace, base: TemplateParameter, mine: TemplateParameter,
        theirs: TemplateParameter
    ) -> TemplateParameter {
        func subject(_ field: String) -> TemplateMerge.Subject {
            .parameterField(group: place.group, key: place.key, field: field)
        }
        var merged = TemplateParameter()
        merged.defaultValue = choose(
            subject("defaultValue"), base: base.defaultValue, mine: mine.defaultValue,
            theirs: theirs.defaultValue, json: \.json)
        merged.conditionalValues = mergeMembers(
            base: base.conditionalValues, mine: mine.conditionalValues,
            theirs: theirs.conditionalValues,
            subject: {
                .conditionalValue(group: place.group, key: place.key, condition: $0)
            }, json: \.json)
        merged.description = choose(
            subject("description"), base: base.description, mine: mine.description,
            theirs: theirs.description, json: { .string($0) })
        merged.valueType = choose(
            subject("valueType"), base: base.valueType, mine: mine.valueType,
            theirs: theirs.valueType, json: { .string($0.rawValue) })
        merged.isMasterKeyOnly =
            choose(
                subject("masterKeyOnly"), base: base.isMasterKeyOnly, mine: mine.isMasterKeyOnly,
                theirs: theirs.isMasterKeyOnly, json: { .bool($0) }) ?? false
        merged.unknownFields = mergeMembers(
            base: base.unknownFields, mine: mine.unknownFields, theirs: theirs.unknownFields,
            subject: subject, json: { $0 })
        return merged
    }

    /// Merges groups by name; their parameters are merged by key.
    private mutating func mergeGroups(
        base: NamedValues<ParameterGroup>,
        mine: NamedValues<ParameterGroup>,
        theirs: NamedValues<ParameterGroup>
    ) -> NamedValues<ParameterGroup> {
        let order = MergedOrder(
            base: Array(base.names), mine: Array(mine.names), theirs: Array(theirs.names))
        var groups: NamedValues<ParameterGroup> = [:]
        for name in order.names(preferring: .theirs) {
            let parameters = mergeParameters(
                base: base[name]?.parameters ?? [:], mine: mine[name]?.parameters ?? [:],
                theirs: theirs[name]?.parameters ?? [:], group: name)
            let before = base[name]?.withoutParameters
            let (mines, their) = (mine[name]?.withoutParameters, theirs[name]?.withoutParameters)
            var shell = choose(
                .group(name: name), base: before, mine: mines, theirs: their, json: \.shellJSON)
            // A kept parameter needs its group, even if a side removed the group.
            if shell == nil, !parameters.isEmpty { shell = their ?? mines ?? before }
            shell?.parameters = parameters
            groups[name] = shell
        }
        return groups
    }

    /// Merges conditions, and the order of conditions.
    private mutating func mergeConditions(
        base: RemoteConfigTemplate, mine: RemoteConfigTemplate, theirs: RemoteConfigTemplate
    ) -> [TemplateCondition] {
        let before = base.conditionsByName
        let (mines, their) = (mine.conditionsByName, theirs.conditionsByName)
        let usedByMine = mine.newlyUsedConditions(since: base)
        let usedByThem = theirs.newlyUsedConditions(since: base)
        let order = MergedOrder(
            base: base.conditions.map(\.name), mine: mine.conditions.map(\.name),
            theirs: theirs.conditions.map(\.name))
        if order.isConflict {
            conflicts.append(
                TemplateMerge.Conflict(
                    subject: .conditionOrder, base: order.base.json, mine: order.mine.json,
                    theirs: order.theirs.json))
        }
        let side = choices[TemplateMerge.Subject.conditionOrder.path.description] ?? .theirs
        return order.names(preferring: side).compactMap { name in
            // Removing a condition would silently lose a value that the other side set under it.
            let isUsedAgain =
                (their[name] == nil && usedByMine.contains(name))
                || (mines[name] == nil && usedByThem.contains(name))
            return choose(
                .condition(name: name), base: before[name], mine: mines[name], theirs: their[name],
                isConflict: before[name] != nil && isUsedAgain, json: \.json)
        }
    }

    private mutating func mergeMembers<Thing>(
        base: NamedValues<Thing>, mine: NamedValues<Thing>,
        theirs: NamedValues<Thing>,
        subject: (String) -> TemplateMerge.Subject, json: (Thing) -> JSONNode
    ) -> NamedValues<Thing> {
        let order = MergedOrder(
            base: Array(base.names), mine: Array(mine.names), theirs: Array(theirs.names))
        var merged: NamedValues<Thing> = [:]
        for name in order.names(preferring: .theirs) {
            merged[name] = choose(
                subject(name), base: base[name], mine: mine[name], theirs: theirs[name],
                json: json)
        }
        return merged
    }

    /// Chooses a side of one unit; nil represents a missing unit.
    private mutating func choose<Thing>(
        _ subject: TemplateMerge.Subject, base: Thing?, mine: Thing?, theirs: Thing?,
        isConflict: Bool = false, json: (Thing) -> JSONNode
    ) -> Thing? {
        let (before, mines, their) = (base.map(json), mine.map(json), theirs.map(json))
        if mines == their { return theirs }
        if !isConflict {
            if mines == before { return theirs }
            if their == before { return mine }
        }
        conflicts.append(
            TemplateMerge.Conflict(
                subject: subject, base: before, mine: mines, theirs: their))
        return choices[subject.path.description] == .mine ? mine : theirs
    }
}

extension RemoteConfigTemplate {
    var conditionsByName: NamedValues<TemplateCondition> {
        NamedValues(
            conditions.map { (key: $0.name, value: $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The conditions for which a parameter has a value that is new or differs from an older
    /// template's.
    fileprivate func newlyUsedConditions(since base: RemoteConfigTemplate) -> Set<String> {
        var names: Set<String> = []
        func note(
            _ parameters: NamedValues<TemplateParameter>,
            _ old: NamedValues<TemplateParameter>
        ) {
            for (key, parameter) in parameters {
                let before = old[key]?.conditionalValues ?? [:]
                for (name, value) in parameter.conditionalValues where before[name] != value {
                    names.insert(name)
                }
            }
        }
        note(parameters, base.parameters)
        for (name, group) in parameterGroups {
            note(group.parameters, base.parameterGroups[name]?.parameters ?? [:])
        }
        return names
    }

    fileprivate mutating func removeValues(underConditions names: Set<String>) {
        guard !names.isEmpty else { return }
        parameters.removeValues(underConditions: names)
        for index in parameterGroups.values.indices {
            parameterGroups.values[index].parameters.removeValues(underConditions: names)
        }
    }
}

extension NamedValues<TemplateParameter> {
    fileprivate mutating func removeValues(underConditions names: Set<String>) {
        for index in values.indices
        where values[index].conditionalValues.names.contains(where: names.contains) {
            values[index].conditionalValues.removeAll { names.contains($0.key) }
        }
    }
}

extension TemplateParameter {
    /// The type; a missing type counts as `STRING`.
    fileprivate var type: ParameterValueType { valueType ?? .string }

    fileprivate func hasSameValues(as other: TemplateParameter) -> Bool {
        type == other.type && defaultValue == other.defaultValue
            && conditionalValues.count == other.conditionalValues.count
            && conditionalValues.allSatisfy { other.conditionalValues[$0.key] == $0.value }
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
        var members: NamedValues<JSONNode> = [:]
        members["description"] = description.map { .string($0) }
        return .object(members.adding(unknownFields))
    }
}

extension [String] {
    fileprivate var json: JSONNode { .array(map { .string($0) }) }
}
