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
        base: OrderedDictionary<String, TemplateParameter>,
        mine: OrderedDictionary<String, TemplateParameter>,
        theirs: OrderedDictionary<String, TemplateParameter>, group: String?
    ) -> OrderedDictionary<String, TemplateParameter> {
        mergeMembers(
            base: base, mine: mine, theirs: theirs,
            subject: { .parameter(group: group, key: $0) }, json: \.json)
    }

    /// Merges groups by name; their parameters are merged by key.
    private mutating func mergeGroups(
        base: OrderedDictionary<String, ParameterGroup>,
        mine: OrderedDictionary<String, ParameterGroup>,
        theirs: OrderedDictionary<String, ParameterGroup>
    ) -> OrderedDictionary<String, ParameterGroup> {
        let order = MergedOrder(
            base: Array(base.keys), mine: Array(mine.keys), theirs: Array(theirs.keys))
        var groups: OrderedDictionary<String, ParameterGroup> = [:]
        for name in order.names(preferring: .theirs) {
            let parameters = mergeParameters(
                base: base[name]?.parameters ?? [:], mine: mine[name]?.parameters ?? [:],
                theirs: theirs[name]?.parameters ?? [:], group: name)
            let shells = [base, mine, theirs].map { $0[name]?.withoutParameters }
            var shell = choose(
                .group(name: name), base: shells[0], mine: shells[1], theirs: shells[2],
                json: \.shellJSON)
            // A parameter that is kept needs its group, even one that a side removed.
            if shell == nil, !parameters.isEmpty { shell = shells[2] ?? shells[1] ?? shells[0] }
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
            // A value under a condition that the other side removed would be lost silently.
            let isUsedAgain =
                (their[name] == nil && usedByMine.contains(name))
                || (mines[name] == nil && usedByThem.contains(name))
            return choose(
                .condition(name: name), base: before[name], mine: mines[name], theirs: their[name],
                isConflict: before[name] != nil && isUsedAgain, json: \.json)
        }
    }

    private mutating func mergeMembers<Thing>(
        base: OrderedDictionary<String, Thing>, mine: OrderedDictionary<String, Thing>,
        theirs: OrderedDictionary<String, Thing>,
        subject: (String) -> TemplateMerge.Subject, json: (Thing) -> JSONNode
    ) -> OrderedDictionary<String, Thing> {
        let order = MergedOrder(
            base: Array(base.keys), mine: Array(mine.keys), theirs: Array(theirs.keys))
        var merged: OrderedDictionary<String, Thing> = [:]
        for name in order.names(preferring: .theirs) {
            merged[name] = choose(
                subject(name), base: base[name], mine: mine[name], theirs: theirs[name],
                json: json)
        }
        return merged
    }

    /// Chooses a side of one unit; nil is a missing unit.
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
    fileprivate var conditionsByName: [String: TemplateCondition] {
        Dictionary(conditions.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The conditions for which a parameter has a value that differs from an older template's, or
    /// that is new.
    fileprivate func newlyUsedConditions(since base: RemoteConfigTemplate) -> Set<String> {
        var names: Set<String> = []
        func note(
            _ parameters: OrderedDictionary<String, TemplateParameter>,
            _ old: OrderedDictionary<String, TemplateParameter>
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

extension OrderedDictionary<String, TemplateParameter> {
    fileprivate mutating func removeValues(underConditions names: Set<String>) {
        for index in values.indices
        where values[index].conditionalValues.keys.contains(where: names.contains) {
            values[index].conditionalValues.removeAll { names.contains($0.key) }
        }
    }
}

extension ParameterGroup {
    fileprivate var withoutParameters: ParameterGroup {
        ParameterGroup(description: description, unknownFields: unknownFields)
    }

    /// The members of the group's object except its parameters.
    fileprivate var shellJSON: JSONNode {
        var members: OrderedDictionary<String, JSONNode> = [:]
        members["description"] = description.map { .string($0) }
        return .object(members.adding(unknownFields))
    }
}

extension [String] {
    fileprivate var json: JSONNode { .array(map { .string($0) }) }
}

/// The order of names after a merge.
struct MergedOrder: Sendable {
    /// The names of the version that both sides started from.
    let base: [String]

    /// The names of the side that is about to be published.
    let mine: [String]

    /// The names of the side that was published in the meantime.
    let theirs: [String]

    /// True when both sides reordered the common names in different ways.
    var isConflict: Bool {
        let (base, mine, theirs) = commonOrders
        return mine != base && theirs != base && mine != theirs
    }

    /// The names of either side, without duplicates, including names that one side has removed.
    ///
    /// The side that reordered gives the order, or `side` when both did. Each name that only the
    /// other side has follows the shared name that precedes it there.
    func names(preferring side: TemplateMerge.Side) -> [String] {
        let orders = commonOrders
        let leads: TemplateMerge.Side =
            if orders.mine == orders.base { .theirs } else if orders.theirs == orders.base {
                .mine
            } else { side }
        let (leading, following) = leads == .mine ? (mine, theirs) : (theirs, mine)
        let present = Set(leading)
        var followers: [String: [String]] = [:]
        var beginning: [String] = []
        var anchor: String?
        for name in following {
            if present.contains(name) {
                anchor = name
            } else if let anchor {
                followers[anchor, default: []].append(name)
            } else {
                beginning.append(name)
            }
        }
        return beginning + leading.flatMap { [$0] + (followers[$0] ?? []) }
    }

    /// The orders of the names that all three have.
    private var commonOrders: (base: [String], mine: [String], theirs: [String]) {
        let common = Set(base).intersection(mine).intersection(theirs)
        return (
            base.filter(common.contains), mine.filter(common.contains),
            theirs.filter(common.contains)
        )
    }
}
