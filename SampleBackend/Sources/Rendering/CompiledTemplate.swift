public import ActiveConfig
import Foundation
import JSONTree
import OrderedCollections
public import Targeting
public import Templates

/// A published version of a template, compiled so that rendering a user's document only evaluates
/// the conditions and selects values.
public struct CompiledTemplate: Sendable {
    /// The metadata of the version.
    public let version: TemplateVersion

    /// The source of the compiled template.
    public let template: RemoteConfigTemplate

    /// The conditions in their order.
    public let conditions: ConditionSet

    /// The sections in the order of the template.
    let sections: [(name: String, parameters: [CompiledParameter])]

    /// Indexes into ``sections`` by name.
    private let sectionPlaces: [String: Int]

    /// Indexes of the conditions that use `percent`.
    let experiments: [Int]

    /// A Boolean value that indicates whether a document depends on the user's ID beyond the
    /// results of the conditions.
    public var showsUserID: Bool { maximumUserIDCount > 0 }

    /// The most places that the user's ID can have in a document, whatever the results of the
    /// conditions: the document's length grows with it times the length of the ID.
    public let maximumUserIDCount: Int

    /// The members of `meta` that are the same for every user.
    private let meta: [String: SettingValue]

    /// Compiles a template.
    ///
    /// A value that this backend does not evaluate, such as a personalization, counts as if its
    /// condition were false (HTTP 3). Under a condition of a server template it leaves the setting
    /// out instead, as Firebase's evaluator of server templates does.
    ///
    /// - Parameters:
    ///   - validated: The checked template.
    ///   - version: Its version; `meta.template_version` is its number, `meta.creation_time` its
    ///     time.
    public init(_ validated: ValidatedTemplate, version: TemplateVersion) {
        let template = validated.template
        self.template = template
        self.version = version
        conditions = ConditionSet(validated.conditions)
        let places = Dictionary(
            template.conditions.enumerated().map { ($1.name, $0) },
            uniquingKeysWith: { first, _ in first })
        sections = template.sections.map { name, parameters in
            (
                name,
                parameters.compactMap { key, parameter in
                    parameter.isMasterKeyOnly
                        ? nil
                        : Self.compile(
                            parameter, key: key, places: places, conditions: template.conditions)
                }
            )
        }
        sectionPlaces = Dictionary(
            sections.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        experiments = validated.conditions.indices.filter { validated.conditions[$0].usesPercent }
        maximumUserIDCount = sections.reduce(0) { count, section in
            section.parameters.reduce(count) { $0 + $1.maximumUserIDCount }
        }
        meta = [
            "format_version_string": .string("1.0"),
            "creation_time": .string(version.updateTime.timestamp),
            "template_version": .integer(version.number),
        ]
    }

    /// Compiles one parameter.
    private static func compile(
        _ parameter: TemplateParameter, key: String, places: [String: Int],
        conditions: [TemplateCondition]
    ) -> CompiledParameter {
        let type = parameter.valueType ?? .string
        var candidates: [CompiledParameter.Candidate] = []
        var unevaluated: [Int] = []
        for (name, value) in parameter.conditionalValues {
            guard let place = places[name] else { continue }
            if let value = CompiledValue(value, type: type) {
                candidates.append(.init(condition: place, value: value))
            } else if conditions[place].serverCondition != nil {
                candidates.append(.init(condition: place, value: .omitted))
            } else {
                unevaluated.append(place)
            }
        }
        candidates.sort { $0.condition < $1.condition }
        return CompiledParameter(
            key: key, candidates: candidates, unevaluated: unevaluated.sorted(),
            defaultValue: parameter.defaultValue.flatMap { CompiledValue($0, type: type) })
    }
}

extension CompiledTemplate {
    /// The most bytes that the user's ID may take in a document, over all its places.
    private static let maximumUserIDBytes = 4 << 20

    /// Returns a Boolean value that indicates whether a user's ID is short enough to be shown in all
    /// places that this template may have for it.
    ///
    /// Otherwise a short request could ask for a document that does not fit into memory.
    ///
    /// - Parameter userID: The user's ID.
    /// - Returns: True when the ID takes at most 4 MiB of a document.
    public func admits(userID: String?) -> Bool {
        guard showsUserID, let userID else { return true }
        return userID.utf8.count <= Self.maximumUserIDBytes / maximumUserIDCount
    }

    /// The document of a user, not written yet.
    ///
    /// `userID` replaces `${user.id}`, `results` are the results of the conditions for the user,
    /// and `overrides` replace the values of the template.
    func state(
        forUserID userID: String?, results: ConditionResults, overrides: OverridesDocument?
    ) -> ConfigurationState {
        var sections: [String: ActiveConfigSection] = [:]
        for (name, parameters) in self.sections {
            var settings: [String: SettingValue] = [:]
            settings.reserveCapacity(parameters.count)
            for parameter in parameters {
                let value = parameter.winner(for: results)?.value ?? parameter.defaultValue
                settings[parameter.key] = value?.value(forUserID: userID)
            }
            for (key, value) in overrides?.sections[name] ?? [:] { settings[key] = value }
            sections[name] = ActiveConfigSection(settings: settings)
        }
        for (name, settings) in overrides?.sections ?? [:] where sections[name] == nil {
            sections[name] = ActiveConfigSection(settings: settings)
        }
        return ConfigurationState(meta: meta(for: results), sections: sections)
    }

    func sectionNames(with basis: DocumentBasis) -> Set<String> {
        Set(sectionPlaces.keys).union(basis.overriddenSections)
    }

    /// True when the template has a setting, or a section when `key` is nil.
    package func hasSetting(_ key: String?, inSection name: String) -> Bool {
        guard let place = sectionPlaces[name] else { return false }
        return key.map { key in sections[place].parameters.contains { $0.key == key } } ?? true
    }

    /// A section of a document; nil when there is none of this name.
    func section(named name: String, for basis: DocumentBasis) -> PickedSection? {
        let place = sectionPlaces[name]
        let overrides = basis.overrides?.sections[name]
        if place == nil, overrides == nil { return nil }
        return PickedSection(
            parameters: place.map { sections[$0].parameters } ?? [], basis: basis,
            overrides: overrides ?? [:])
    }

    /// All members of `meta` for the results.
    func meta(for results: ConditionResults) -> [String: SettingValue] {
        var meta = meta
        if !experiments.isEmpty {
            let pairs = experiments.map {
                (template.conditions[$0].name, SettingValue.bool(results[$0]))
            }
            meta["experiments"] = .object(
                Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
        }
        return meta
    }

    /// Returns the document with the default value of every setting, for an app to bundle as its
    /// bootstrap.
    ///
    /// - Returns: The configuration for no user, with every condition false and without
    ///   `meta.experiments`.
    public func bootstrapState() -> ConfigurationState {
        var state = state(
            forUserID: nil, results: ConditionResults(count: conditions.conditions.count),
            overrides: nil)
        state.meta["experiments"] = nil
        return state
    }
    /// Returns all values that each setting can have, by section and key, for a user without an ID
    /// and without overrides.
    public func possibleValues() -> [String: [String: [SettingValue]]] {
        let pairs = sections.map { name, parameters in
            let values = parameters.map { parameter in
                let values = parameter.candidates.map(\.value) + [parameter.defaultValue]
                return (parameter.key, values.compactMap { $0?.value(forUserID: nil) })
            }
            return (name, Dictionary(values, uniquingKeysWith: { first, _ in first }))
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
}
