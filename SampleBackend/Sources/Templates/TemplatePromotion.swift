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
            isWhole || sections.contains(place.section) ? .all : settings[place]
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

    /// The chosen settings and sections that the source lacks; empty with deletions.
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
        missingNames = choice.includesDeletions ? [] : choice.names(missingIn: source.template)
        conditions = Self.conditions(
            of: sides.mine, omitted: sides.omittedValues, in: source.template, target: target)
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
        of chosen: RemoteConfigTemplate, omitted: [OmittedValue],
        in source: RemoteConfigTemplate, target: RemoteConfigTemplate
    ) -> Conditions {
        var conditions = Conditions()
        let others = target.conditionsByName
        for condition in chosen.conditions {
            switch others[condition.name]?.isSameTest(as: condition) {
            case nil: conditions.added.append(condition.name)
            case true?: conditions.reused.append(condition.name)
            case false?: conditions.different.append(condition.name)
            }
        }
        let names = omitted.map(\.condition).exactNames
        conditions.omitted = source.conditions.map(\.name).filter(names.contains(name:))
        return conditions
    }
}

extension TemplatePromotion.Choice {
    /// The chosen names that a template lacks.
    fileprivate func names(missingIn template: RemoteConfigTemplate) -> [String] {
        let known = template.sections
        let groups = Set(known.keys)
        return sections.subtracting(groups).sortedByBytes()
            + settings.keys.filter { known[$0.section]?[$0.key] == nil }
            .map { "\($0.section.text).\($0.key.text)" }.sorted()
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
        let used = mine.usedConditions
        let others = target.conditionsByName
        mine.conditions = source.conditions.filter { used.contains(name: $0.name) }
            .map { condition in
                // A colour or an unknown member is no reason to ask.
                let other = others[condition.name]
                return other.flatMap { $0.isSameTest(as: condition) ? $0 : nil } ?? condition
            }
    }

    /// Adds a group; nil for one that only the target has.
    private mutating func add(
        _ group: ParameterGroup?, named name: String, over old: ParameterGroup?
    ) {
        let (replaced, chosen) = parameters(
            group?.parameters ?? [:], over: old?.parameters ?? [:], inSection: name)
        let includesGroup =
            choice.includes(section: name) && (group != nil || choice.includesDeletions)
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

    private func omissions(
        from parameter: TemplateParameter, at place: SettingPlace,
        _ parts: TemplatePromotion.Parts
    ) -> [TemplatePromotion.OmittedValue] {
        parameter.conditionalValues.names.filter { name in
            omittedConditions.contains(name: name)
                && parts.contains(TemplateParameter.partName(ofCondition: name))
        }.map { TemplatePromotion.OmittedValue(setting: place, condition: $0) }
    }

    /// The chosen parts of a parameter; the type and the visibility are the target's unless they
    /// are chosen.
    private func copy(
        _ parts: TemplatePromotion.Parts, of parameter: TemplateParameter,
        over old: TemplateParameter?
    ) -> TemplateParameter {
        var copy = parameter.withParts { parts.contains($0) }
        copy.conditionalValues.removeAll { omittedConditions.contains(name: $0.key) }
        guard let old else { return copy }
        if !parts.contains("valueType") || copy.type == old.type { copy.valueType = old.valueType }
        if !parts.contains("masterKeyOnly") { copy.isMasterKeyOnly = old.isMasterKeyOnly }
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
        return names
    }

    /// Returns the parameter with some of the parts that can be missing.
    fileprivate func withParts(_ isIncluded: (String) -> Bool) -> TemplateParameter {
        var copy = self
        if !isIncluded("defaultValue") { copy.defaultValue = nil }
        if !isIncluded("description") { copy.description = nil }
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
