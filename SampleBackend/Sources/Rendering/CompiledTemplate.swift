import ActiveConfigJSON
import Foundation
public import JSONTree
public import NIOCore
public import Targeting
public import Templates

/// A published version of a template, compiled so that rendering a user's document only evaluates
/// the conditions and selects values.
///
/// It is immutable, and a class so that requests on all threads share one instance.
public final class CompiledTemplate: Sendable {
    /// The metadata of the version.
    public let version: TemplateVersion

    /// The source of the compiled template.
    public let template: RemoteConfigTemplate

    /// The conditions in their order.
    public let conditions: ConditionSet

    /// The sections with their parameters, both sorted by the UTF-8 of their names.
    let sections: [(name: String, parameters: [CompiledParameter])]

    /// The archived settings by section and key: no document has them, also when they are pinned.
    public let archivedSettings: [ExactText: Set<ExactText>]

    /// Indexes into ``sections`` by name.
    private let sectionPlaces: [ExactText: Int]

    /// True when the names of two sections are canonically equivalent, so that clients receive
    /// only the last.
    let hasEquivalentSections: Bool

    /// `meta` of the documents.
    let meta: CompiledMeta

    /// The conditions that use `percent`, with their indexes.
    private let experiments: [(key: String, condition: Int)]

    /// A Boolean value that indicates whether a document depends on the user's ID beyond the
    /// results of the conditions.
    public var showsUserID: Bool { maximumUserIDCount > 0 }

    /// Upper bound for the occurrences of the user's ID in one document, for any results of the
    /// conditions.
    ///
    /// The ID adds at most this number times its own length to a document.
    public let maximumUserIDCount: Int

    /// Compiles a template.
    ///
    /// A condition whose value this backend does not evaluate, such as a personalization, counts as
    /// false (API 3). Under a condition of a server template it leaves the setting out instead, as
    /// Firebase's evaluator of server templates does.
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
            template.conditions.enumerated().map { (ExactText($1.name), $0) },
            uniquingKeysWith: { first, _ in first })
        archivedSettings = template.archivedSettings
        sections = template.withoutArchivedParameters.sections.map { name, parameters in
            let compiled = parameters.compactMap { key, parameter in
                parameter.isMasterKeyOnly
                    ? nil
                    : Self.compile(
                        parameter, key: key, places: places, conditions: template.conditions)
            }
            return (name, compiled.sorted { $0.key.precedes($1.key) })
        }.sorted { $0.name.precedes($1.name) }
        sectionPlaces = Dictionary(
            sections.enumerated().map { (ExactText($1.name), $0) },
            uniquingKeysWith: { first, _ in first })
        // names: as clients compare them.
        hasEquivalentSections = Set<String>(sections.map(\.name)).count < sections.count
        experiments = validated.conditions.indices
            .filter { validated.conditions[$0].usesPercent }
            .map { (template.conditions[$0].name, $0) }
        meta = CompiledMeta(version, experiments: experiments)
        maximumUserIDCount = sections.reduce(0) { count, section in
            section.parameters.reduce(count) { $0 + $1.maximumUserIDCount }
        }
    }

    /// Returns the same template as another version.
    ///
    /// - Parameter version: The metadata of the version.
    /// - Returns: The same as compiling the template with this version.
    public func asVersion(_ version: TemplateVersion) -> CompiledTemplate {
        CompiledTemplate(self, as: version)
    }

    private init(_ other: CompiledTemplate, as version: TemplateVersion) {
        self.version = version
        template = other.template
        conditions = other.conditions
        sections = other.sections
        archivedSettings = other.archivedSettings
        sectionPlaces = other.sectionPlaces
        hasEquivalentSections = other.hasEquivalentSections
        experiments = other.experiments
        meta = CompiledMeta(version, experiments: other.experiments)
        maximumUserIDCount = other.maximumUserIDCount
    }

    /// Compiles one parameter.
    private static func compile(
        _ parameter: TemplateParameter, key: String, places: [ExactText: Int],
        conditions: [TemplateCondition]
    ) -> CompiledParameter {
        let type = parameter.valueType ?? .string
        var candidates: [CompiledParameter.Candidate] = []
        var unevaluated: [Int] = []
        for (name, value) in parameter.conditionalValues {
            guard let place = places[name: name] else { continue }
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
    /// The maximum number of bytes that all occurrences of the user's ID may take in a document.
    private static let maximumUserIDBytes = 4 << 20

    /// Returns a Boolean value that indicates whether a user's ID is short enough to be inserted in
    /// every place where this template may use it.
    ///
    /// Without this limit a small request could ask for a document that does not fit into memory.
    ///
    /// - Parameter userID: The user's ID.
    /// - Returns: True when the ID takes at most 4 MiB of a document.
    public func admits(userID: String?) -> Bool {
        guard showsUserID, let userID else { return true }
        return userID.utf8.count <= Self.maximumUserIDBytes / maximumUserIDCount
    }

    /// Appends a document (FORMAT) without white space, members sorted by the UTF-8 of their names.
    func write(_ basis: DocumentBasis, to text: inout DocumentText) {
        write(basis, experiments: basis.results, to: &text)
    }

    /// Appends a document; nil experiments omit `meta.experiments`.
    private func write(
        _ basis: DocumentBasis, experiments: ConditionResults?, to text: inout DocumentText
    ) {
        let names =
            basis.overrides == nil
            ? sections.map(\.name) : sectionNames(with: basis).sortedByBytes()
        text.json.write(raw: #"{"config_sections":"#)
        text.writeObject(names.lazy.map { (key: $0, value: $0) }) { text, name in
            text.write(section(named: name, for: basis)?.settings ?? [])
        }
        text.json.write(raw: #","meta":"#)
        meta.write(to: &text, results: experiments)
        text.json.write(UInt8(ascii: "}"))
    }

    /// True when the conditions have the same results as another version's for every user at any
    /// time.
    package func hasSameResults(as other: CompiledTemplate) -> Bool {
        conditions.dates.isEmpty
            && template.conditions.count == other.template.conditions.count
            && zip(template.conditions, other.template.conditions).allSatisfy { mine, theirs in
                (mine.expression ?? "").hasSameBytes(as: theirs.expression ?? "")
                    && mine.serverCondition == theirs.serverCondition
            }
            // A condition stored before a limit was introduced may exceed it.
            && zip(conditions.conditions, other.conditions.conditions).allSatisfy { mine, theirs in
                mine.excess == theirs.excess
            }
    }

    /// The pinned values that have an effect: those of settings that are not archived.
    ///
    /// - Parameter pins: The pinned values of a user.
    /// - Returns: Nil when none has an effect.
    public func effective(_ pins: OverridesDocument?) -> OverridesDocument? {
        archivedSettings.isEmpty ? pins : pins?.without(archivedSettings)
    }

    func sectionNames(with basis: DocumentBasis) -> Set<ExactText> {
        Set(sectionPlaces.keys).union(basis.overriddenSections)
    }

    /// True when the template has a setting, or a section when `key` is nil.
    package func hasSetting(_ key: String?, inSection name: String) -> Bool {
        key.map { parameter(forKey: $0, inSection: name) != nil }
            ?? (sectionPlaces[name: name] != nil)
    }

    /// The parameter of a setting that clients receive; nil when there is none.
    func parameter(forKey key: String, inSection name: String) -> CompiledParameter? {
        guard let parameters = sectionPlaces[name: name].map({ sections[$0].parameters }) else {
            return nil
        }
        var (low, high) = (0, parameters.count)
        while low < high {
            let middle = (low + high) / 2
            if parameters[middle].key.precedes(key) { low = middle + 1 } else { high = middle }
        }
        return low < parameters.count && parameters[low].key.hasSameBytes(as: key)
            ? parameters[low] : nil
    }

    /// A section of a document; nil when there is none of this name.
    func section(named name: String, for basis: DocumentBasis) -> PickedSection? {
        let place = sectionPlaces[name: name]
        let overrides = basis.overrides?.sections[name: name]
        if place == nil, overrides == nil { return nil }
        return PickedSection(
            parameters: place.map { sections[$0].parameters } ?? [], basis: basis,
            overrides: overrides ?? [:])
    }

    /// Returns the document with the default value of every setting, for an app to bundle as its
    /// bootstrap.
    ///
    /// - Returns: The document for no user, with every condition false and without
    ///   `meta.experiments`, UTF-8 JSON.
    public func bootstrapBytes() -> ByteBuffer {
        let results = ConditionResults(count: conditions.conditions.count)
        var text = DocumentText(forUserID: nil)
        write(DocumentBasis(results: results, overrides: nil), experiments: nil, to: &text)
        return ByteBuffer(bytes: text.json.bytes)
    }

    /// Returns the values of a setting for a user without an ID and without pinned values.
    ///
    /// - Parameters:
    ///   - key: The setting's key.
    ///   - section: The section's name.
    /// - Returns: All values that it can have, and its value when no condition is true; nil when
    ///   the setting is then omitted.
    public func values(
        forKey key: String, inSection section: String
    ) -> (possible: [JSONNode], default: JSONNode?) {
        let parameter = parameter(forKey: key, inSection: section)
        let candidates = parameter?.candidates.compactMap { $0.value.value(forUserID: nil) } ?? []
        let defaultValue = parameter?.defaultValue?.value(forUserID: nil)
        return (candidates + [defaultValue].compactMap(\.self), defaultValue)
    }
}
