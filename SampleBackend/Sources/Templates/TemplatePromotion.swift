public import JSONTree
import OrderedCollections
import Targeting

/// A promotion: chosen settings of one project, the source, with the conditions that they need,
/// for the template of another one, the target.
///
/// It is a ``TemplateMerge`` in which the chosen parts of the source are mine and the target is
/// theirs. The projects have no common original, so the base is made for the merge: it has what
/// the promotion replaces, as it is in the target, and no condition. Hence a chosen value replaces
/// the target's, a condition that only the source has is added between those that both have, and
/// a condition that differs is a conflict, as is the order of two conditions where it decides.
///
/// ```swift
/// let promotion = TemplatePromotion(from: staging, to: production, choice: .init())
/// let template = promotion.resolving(["conditions.beta": .mine])
/// ```
public struct TemplatePromotion: Sendable {
    /// The part of the source to copy.
    public struct Choice: Sendable {
        /// The chosen settings.
        public var settings: [SettingPlace: Parts] = [:]

        /// The sections to copy with all of their settings and their description.
        public var sections: Set<ExactText> = []

        /// Settings that are copied only if ``settings`` has them, since they differ on purpose.
        public var intended: Set<SettingPlace> = []

        /// True to remove from the target what the source lacks of the chosen parts.
        public var includesDeletions = false

        /// True to copy conditions that name single users, which are usually those of one project.
        public var includesUserConditions = false

        /// Chooses everything.
        public init() {}

        /// True when neither settings nor sections are chosen, which means all of them.
        public var isWhole: Bool { settings.isEmpty && sections.isEmpty }

        func includes(section: String) -> Bool { isWhole || sections.contains(name: section) }

        /// The chosen parts of a setting; nil when it is not chosen.
        func parts(of place: SettingPlace) -> Parts? {
            let isIncluded = isWhole || sections.contains(place.section)
            return isIncluded && !intended.contains(place) ? .all : settings[place]
        }
    }

    /// The chosen parts of a setting.
    public enum Parts: Sendable, Hashable {
        case all
        /// Some parts by their names, as in ``TemplateDiff/Part/name``.
        case named(Set<ExactText>)

        func contains(_ name: String) -> Bool {
            switch self {
            case .all: true
            case .named(let names): names.contains(name: name)
            }
        }

        /// True when the caller chose a part by its name.
        func names(_ name: String) -> Bool { self != .all && contains(name) }
    }

    /// The conditions of the source that the chosen values use, in its order.
    public struct Conditions: Sendable, Hashable {
        /// Missing in the target.
        public fileprivate(set) var added: [String] = []
        /// Equal in the target.
        public fileprivate(set) var reused: [String] = []
        /// Different in the target, which keeps its own unless the conflict is resolved otherwise.
        public fileprivate(set) var different: [String] = []
        /// Not copied, since they name single users.
        public fileprivate(set) var omitted: [String] = []
    }

    /// A value that is not copied, since its condition is not.
    public struct OmittedValue: Sendable, Hashable {
        /// The setting.
        public let setting: SettingPlace
        /// The name of the condition.
        public let condition: String
    }

    /// The target.
    public let target: RemoteConfigTemplate

    /// The conditions that the chosen values use.
    public let conditions: Conditions

    /// The values that are not copied.
    public let omittedValues: [OmittedValue]

    /// The chosen settings and sections that the source lacks, or, with deletions, both projects;
    /// and the chosen parts that neither has.
    public let missingNames: [String]

    private let merge: TemplateMerge

    /// The conditions to remove when nothing uses them any more.
    private let removableConditions: Set<ExactText>

    /// What must be decided; without a choice the target's side stays.
    public var conflicts: [TemplateMerge.Conflict] { merge.conflicts }

    /// Creates a promotion.
    ///
    /// - Parameters:
    ///   - source: The template to copy from.
    ///   - target: The template to copy to.
    ///   - choice: The part of the source to copy.
    public init(from source: ValidatedTemplate, to target: RemoteConfigTemplate, choice: Choice) {
        let omitted =
            choice.includesUserConditions
            ? [] : Self.userConditions(of: source, exceptEqualIn: target)
        var sides = PromotedSides(choice: choice, omittedConditions: omitted)
        sides.add(source.template, over: target)
        self.target = target
        omittedValues = sides.omittedValues
        missingNames = choice.names(missingIn: source.template, target: target)
        conditions = Self.conditions(sides, in: source.template, target: target)
        merge = TemplateMerge(base: sides.base, mine: sides.mine, theirs: target)
        removableConditions =
            choice.includesDeletions && choice.isWhole
            ? Set(target.conditionsByName.keys).subtracting(source.template.conditionsByName.keys)
            : []
    }

    /// Returns the target with what was chosen of the source.
    ///
    /// - Parameter choices: The side by the path of a conflict: the source is mine, the target
    ///   theirs, which is the default.
    /// - Returns: The template, without a version.
    public func resolving(_ choices: NamedValues<TemplateMerge.Side>) -> RemoteConfigTemplate {
        var template = merge.resolving(choices)
        if !removableConditions.isEmpty {
            let used = template.usedConditions
            template.conditions.removeAll { condition in
                removableConditions.contains(name: condition.name)
                    && !used.contains(name: condition.name)
            }
        }
        return template
    }

    /// The conditions of a template that name single users, except those that are equal in another.
    private static func userConditions(
        of source: ValidatedTemplate, exceptEqualIn target: RemoteConfigTemplate
    ) -> Set<ExactText> {
        let others = target.conditionsByName
        return zip(source.template.conditions, source.conditions).filter { condition, parsed in
            parsed.namesUsers && others[condition.name]?.isSameTest(as: condition) != true
        }.map(\.0.name).exactNames
    }

    private static func conditions(
        _ sides: PromotedSides, in source: RemoteConfigTemplate, target: RemoteConfigTemplate
    ) -> Conditions {
        var conditions = Conditions()
        let others = target.conditionsByName
        for condition in sides.mine.conditions
        where sides.usedConditions.contains(name: condition.name) {
            switch others[condition.name]?.isSameTest(as: condition) {
            case nil: conditions.added.append(condition.name)
            case true?: conditions.reused.append(condition.name)
            case false?: conditions.different.append(condition.name)
            }
        }
        let names = sides.omittedValues.map(\.condition).exactNames
        conditions.omitted = source.conditions.map(\.name).filter(names.contains(name:))
        return conditions
    }
}

extension TemplatePromotion.Choice {
    /// The chosen names that the source lacks, or, with deletions, both templates; and the chosen
    /// parts that neither has.
    fileprivate func names(
        missingIn source: RemoteConfigTemplate, target: RemoteConfigTemplate
    ) -> [String] {
        let all = [source.sections, target.sections]
        let known = includesDeletions ? all : [all[0]]
        let names = settings.flatMap { place, parts -> [String] in
            let name = "\(place.section.text).\(place.key.text)"
            guard known.contains(where: { $0[place.section]?[place.key] != nil }) else {
                return [name]
            }
            guard case .named(let parts) = parts else { return [] }
            let found = all.compactMap { $0[place.section]?[place.key]?.partNames }
            return parts.subtracting(TemplateParameter.fixedPartNames)
                .filter { part in !found.contains { $0.contains(part) } }
                .map { "\(name).\($0.text)" }
        }
        return sections.filter { section in !known.contains { $0[section] != nil } }
            .sortedByBytes() + names.sorted()
    }
}

/// The base and mine of a promotion, which is a merge.
private struct PromotedSides {
    let choice: TemplatePromotion.Choice
    let omittedConditions: Set<ExactText>

    /// What the promotion replaces, as it is in the target.
    private(set) var base = RemoteConfigTemplate()

    /// What was chosen of the source.
    private(set) var mine = RemoteConfigTemplate()

    private(set) var omittedValues: [TemplatePromotion.OmittedValue] = []

    /// The conditions of the values to copy.
    private(set) var usedConditions: Set<ExactText> = []

    init(choice: TemplatePromotion.Choice, omittedConditions: Set<ExactText>) {
        self.choice = choice
        self.omittedConditions = omittedConditions
    }

    mutating func add(_ source: RemoteConfigTemplate, over target: RemoteConfigTemplate) {
        (base.parameters, mine.parameters) = parameters(
            source.parameters, over: target.parameters,
            inSection: RemoteConfigTemplate.defaultSectionName)
        for (name, group) in source.parameterGroups {
            add(group, named: name, over: target.parameterGroups[name])
        }
        for (name, old) in target.parameterGroups where source.parameterGroups[name] == nil {
            add(nil, named: name, over: old)
        }
        let anchors = anchors(of: source, in: target)
        let others = target.conditionsByName
        mine.conditions = source.conditions.compactMap { condition in
            let other = others[condition.name]
            guard usedConditions.contains(name: condition.name) else {
                return anchors.contains(name: condition.name) ? other : nil
            }
            // A colour or an unknown member is no reason to ask.
            return other.flatMap { $0.isSameTest(as: condition) ? $0 : nil } ?? condition
        }
    }

    /// The conditions of both projects that no chosen value uses, but that give new conditions their
    /// place.
    ///
    /// Only conditions that both have in the same order, relative to each other and to those that
    /// are used, so that they add no conflict.
    private func anchors(
        of source: RemoteConfigTemplate, in target: RemoteConfigTemplate
    ) -> Set<ExactText> {
        var positions: NamedValues<Int> = [:]
        for (position, condition) in target.conditions.enumerated()
        where positions[condition.name] == nil {
            positions[condition.name] = position
        }
        let shared = source.conditions.compactMap { condition in
            positions[condition.name].map {
                (position: $0, isUsed: usedConditions.contains(name: condition.name))
            }
        }
        // The position in the target that no used condition further down in the source precedes.
        var limits: [Int] = []
        var limit = Int.max
        for condition in shared.reversed() {
            limits.append(limit)
            if condition.isUsed { limit = min(limit, condition.position) }
        }
        var candidates: [Int] = []
        var last = -1
        for (condition, limit) in zip(shared, limits.reversed()) {
            if condition.isUsed {
                last = max(last, condition.position)
            } else if condition.position > last, condition.position < limit {
                candidates.append(condition.position)
            }
        }
        return candidates.longestIncreasingSubsequence.map { target.conditions[$0].name }.exactNames
    }

    /// Adds a group; nil for one that only the target has.
    private mutating func add(
        _ group: ParameterGroup?, named name: String, over old: ParameterGroup?
    ) {
        let (replaced, chosen) = parameters(
            group?.parameters ?? [:], over: old?.parameters ?? [:], inSection: name)
        // A new section of which everything differs on purpose would be copied empty.
        let isLeftOut = old == nil && chosen.isEmpty && group?.parameters.isEmpty == false
        let includesGroup =
            choice.includes(section: name) && (group != nil || choice.includesDeletions)
            && !isLeftOut
        guard includesGroup || !replaced.isEmpty || !chosen.isEmpty else { return }
        if var old {
            old.parameters = replaced
            base.parameterGroups[name] = old
        }
        guard var copy = includesGroup ? group : old ?? group else { return }
        if includesGroup, !choice.includesDeletions, let old {
            copy.description = copy.description ?? old.description
            copy.unknownFields = copy.unknownFields.adding(old.unknownFields)
        }
        copy.parameters = chosen
        mine.parameterGroups[name] = copy
    }

    /// The base and mine of the parameters of a group; both in the order of the source, so that the
    /// merge keeps that of the target.
    private mutating func parameters(
        _ source: NamedValues<TemplateParameter>, over target: NamedValues<TemplateParameter>,
        inSection section: String
    ) -> (base: NamedValues<TemplateParameter>, mine: NamedValues<TemplateParameter>) {
        var base: NamedValues<TemplateParameter> = [:]
        var mine: NamedValues<TemplateParameter> = [:]
        for (key, parameter) in source {
            let place = SettingPlace(section: section, key: key)
            guard let parts = choice.parts(of: place) else { continue }
            omittedValues += omissions(from: parameter, at: place, parts)
            let old = target[key]
            mine[key] = copy(parts, of: parameter, over: old)
            noteConditions(of: parameter, parts)
            base[key] = old.map { replaced(parts, of: $0, by: parameter) }
        }
        guard choice.includesDeletions else { return (base, mine) }
        for (key, parameter) in target
        where source[key] == nil
            && choice.parts(of: SettingPlace(section: section, key: key)) == .all
        {
            base[key] = parameter
        }
        return (base, mine)
    }

    private mutating func noteConditions(
        of parameter: TemplateParameter, _ parts: TemplatePromotion.Parts
    ) {
        for name in parameter.conditionalValues.names
        where parts.contains(TemplateParameter.partName(ofCondition: name))
            && !omittedConditions.contains(name: name)
        {
            usedConditions.insert(ExactText(name))
        }
    }

    private func omissions(
        from parameter: TemplateParameter, at place: SettingPlace,
        _ parts: TemplatePromotion.Parts
    ) -> [TemplatePromotion.OmittedValue] {
        parameter.conditionalValues.names.filter { name in
            omittedConditions.contains(name: name)
                && parts.contains(TemplateParameter.partName(ofCondition: name))
        }.map { TemplatePromotion.OmittedValue(setting: place, condition: $0) }
    }

    /// The chosen parts of a parameter; the type is the target's unless it is chosen.
    ///
    /// A hidden parameter becomes visible only by a choice of this part, or with deletions. The value
    /// of a hidden one hides the target's, so that clients do not receive it. So does an archived one
    /// come back; a parameter is archived when all of its parts are copied from an archived one.
    private func copy(
        _ parts: TemplatePromotion.Parts, of parameter: TemplateParameter,
        over old: TemplateParameter?
    ) -> TemplateParameter {
        var copy = parameter.withParts { parts.contains($0) }
        copy.conditionalValues.removeAll { omittedConditions.contains(name: $0.key) }
        guard let old else { return copy }
        let hasValues = copy.defaultValue != nil || !copy.conditionalValues.isEmpty
        if !parts.names("masterKeyOnly"), !(parts == .all && choice.includesDeletions) {
            copy.isMasterKeyOnly =
                old.isMasterKeyOnly
                || parameter.isMasterKeyOnly && (parts == .all || hasValues)
        }
        if !parts.names("archived"), !(parts == .all && choice.includesDeletions) {
            copy.isArchived = old.isArchived || parameter.isArchived && parts == .all
        }
        if !parts.contains("valueType") || copy.type == old.type {
            copy.valueType = old.valueType
        } else {
            copy = adding(toRetyped: copy, from: old, unlessIn: parts, of: parameter)
        }
        return copy
    }

    /// Returns a parameter of another type with the parts of the target's that stay.
    ///
    /// The merge takes such a parameter as one unit, so that it would lose them.
    private func adding(
        toRetyped copy: TemplateParameter, from old: TemplateParameter,
        unlessIn parts: TemplatePromotion.Parts, of parameter: TemplateParameter
    ) -> TemplateParameter {
        var copy = copy
        let known = parameter.partNames
        func stays(_ name: String) -> Bool {
            !parts.contains(name) || !choice.includesDeletions && !known.contains(name: name)
        }
        // Values of the old type cannot stay beside those of the new one, unless their parts are
        // not chosen.
        if !parts.contains("defaultValue") { copy.defaultValue = old.defaultValue }
        for (name, value) in old.conditionalValues
        where !parts.contains(TemplateParameter.partName(ofCondition: name)) {
            copy.conditionalValues[name] = value
        }
        if stays("description") { copy.description = old.description }
        if stays("owner") { copy.owner = old.owner }
        if stays("tags") { copy.tags = old.tags }
        if stays("permanent") { copy.permanentReason = old.permanentReason }
        copy.unknownFields = copy.unknownFields.adding(old.unknownFields.filter { stays($0.key) })
        return copy
    }

    /// The parts of the target's parameter that the copy replaces.
    private func replaced(
        _ parts: TemplatePromotion.Parts, of old: TemplateParameter,
        by parameter: TemplateParameter
    ) -> TemplateParameter {
        let known = parameter.partNames
        var replaced = old.withParts { name in
            parts.contains(name)
                && (choice.includesDeletions || known.contains(name: name))
        }
        replaced.conditionalValues.removeAll { omittedConditions.contains(name: $0.key) }
        return replaced
    }
}

extension TemplateParameter {
    /// The names of the parts that any parameter can have.
    fileprivate static let fixedPartNames = [
        "defaultValue", "description", "valueType", "masterKeyOnly", "owner", "tags", "permanent",
        "archived",
    ].exactNames

    /// The name of the value for a condition, as in ``TemplateDiff/Part/name``.
    fileprivate static func partName(ofCondition name: String) -> String {
        "conditionalValues.\(name)"
    }

    /// The names of the parts that can be missing.
    fileprivate var partNames: Set<ExactText> {
        var names = unknownFields.names.exactNames
        names.formUnion(conditionalValues.names.map(Self.partName).exactNames)
        if defaultValue != nil { names.insert("defaultValue") }
        if description != nil { names.insert("description") }
        if owner != nil { names.insert("owner") }
        if !tags.isEmpty { names.insert("tags") }
        if permanentReason != nil { names.insert("permanent") }
        return names
    }

    /// Returns the parameter with some of the parts that can be missing.
    fileprivate func withParts(_ isIncluded: (String) -> Bool) -> TemplateParameter {
        var copy = self
        if !isIncluded("defaultValue") { copy.defaultValue = nil }
        if !isIncluded("description") { copy.description = nil }
        if !isIncluded("owner") { copy.owner = nil }
        if !isIncluded("tags") { copy.tags = [] }
        if !isIncluded("permanent") { copy.permanentReason = nil }
        copy.conditionalValues.removeAll { !isIncluded(Self.partName(ofCondition: $0.key)) }
        copy.unknownFields.removeAll { !isIncluded($0.key) }
        return copy
    }
}

extension TemplateCondition {
    /// True when two conditions are true for the same users.
    fileprivate func isSameTest(as other: TemplateCondition) -> Bool {
        let texts = [self, other].map { $0.expression.map { JSONNode.string($0) } }
        return texts[0] == texts[1] && serverCondition == other.serverCondition
    }
}

extension RemoteConfigTemplate {
    /// The conditions for which a parameter has a value.
    fileprivate var usedConditions: Set<ExactText> {
        newlyUsedConditions(since: RemoteConfigTemplate())
    }
}
