import ActiveConfig
import Foundation
import JSONTree
import NIOCore
import NIOFoundationEssentialsCompat
import Rendering
import Targeting
import Templates

/// A template with its pinned values, and the documents of its users.
///
/// Immutable except for the caches, so all threads share it.
final class LoadedTemplate: Sendable {
    let project: PublishedProject
    private let config: ActiveConfig
    private let cache: DocumentCache<ActiveConfigSection, EvaluatedDocument>

    /// Nil when each document has to be made as a whole.
    private let separate: SeparateSections?
    /// Whether each section has in-app defaults beneath, so that every document has its own copy.
    private let isCopied: [Bool]
    /// `meta` of all documents, without the experiments.
    private let meta: [String: SettingValue]
    private let experiments: PreparedDictionary<SettingValue>
    private let sections: PreparedDictionary<ActiveConfigSection>

    /// `defaults` names the sections with in-app defaults.
    init(
        _ project: PublishedProject, of config: ActiveConfig, cacheBytes: Int,
        defaults: Set<ExactText> = []
    ) {
        self.project = project
        self.config = config
        cache = DocumentCache(maximumBytes: cacheBytes)
        separate = SeparateSections(project.compiled)
        isCopied = separate?.sections.map { defaults.contains(ExactText($0.name)) } ?? []
        experiments = PreparedDictionary(
            keys: separate?.experiments.map(\.key) ?? [], value: .bool(false))
        sections = PreparedDictionary(
            keys: separate?.sections.map(\.name) ?? [],
            value: ActiveConfigSection(settings: [:]))
        let version = project.compiled.version
        meta = [
            "creation_time": .string(version.updateTime.timestamp),
            "format_version_string": "1.0", "template_version": .integer(version.number),
        ]
    }

    /// The same template with other pinned values; it shares the documents of users without any.
    init(_ other: LoadedTemplate, overrides: [ExactText: OverridesDocument]) {
        project = other.project.settingAllOverrides(overrides)
        (config, cache, meta) = (other.config, other.cache, other.meta)
        (separate, isCopied) = (other.separate, other.isCopied)
        (experiments, sections) = (other.experiments, other.sections)
    }

    /// Number of documents in memory.
    var cachedCount: Int { cache.documentCount }

    /// Counted memory of documents and sections.
    var cachedBytes: Int { cache.bytes }

    var version: Int { project.compiled.version.number }

    /// The configuration of a user; nil for an ID that is too long to be inserted in the settings that
    /// contain it, which the server refuses.
    func snapshot(for context: TargetingContext) -> ConfigurationSnapshot? {
        let userID = context.userID
        guard project.compiled.admits(userID: userID) else { return nil }
        let basis = project.basis(for: context)
        guard basis.overrides == nil, let separate else {
            let document = project.rendered(for: basis, userID: userID).document
            let state = Self.parsed(Data(buffer: document.jsonBytes))
            return EvaluatedDocument(state, of: config).snapshot(forUserID: userID)
        }
        let isCommon = !project.compiled.showsUserID
        if isCommon, let known = cache[basis.results] {
            return known.snapshot(forUserID: userID)
        }
        let rotations = cache.rotations
        let (state, ownBytes) = state(for: basis.results, userID: userID, separate)
        let document = EvaluatedDocument(state, of: config)
        if isCommon {
            let entries = state.sections.count + separate.experiments.count
            cache.keep(
                document, of: Self.documentBytes + Self.tableBytes * entries + ownBytes,
                for: basis.results, since: rotations)
        }
        return document.snapshot(forUserID: userID)
    }

    /// Approximate memory per section and experiment of a document whose sections are shared.
    private static let tableBytes = 160

    /// Allowance for the objects of a document and the values that are decoded from it.
    private static let documentBytes = 2_048

    /// The document of a user without pinned values, put together from sections that users share, and
    /// the memory of those that belong to it alone.
    private func state(
        for results: ConditionResults, userID: String?, _ separate: SeparateSections
    ) -> (state: ConfigurationState, ownBytes: Int) {
        var ownBytes = 0
        var found = sections.dictionary
        for (index, part) in separate.sections.enumerated() {
            let key = SectionKey(index: index, results: results.masked(by: part.conditions))
            var shared = part.showsUserID ? nil : cache[key]
            if shared == nil {
                let text = separate.document(ofSectionAt: index, for: results, userID: userID)
                guard let section = Self.parsed(Data(text)).sections[part.name] else { continue }
                let bytes = Self.factor * text.count
                shared =
                    part.showsUserID
                    ? SharedSection(section: section, bytes: bytes, isCached: false)
                    : cache.keep(section, of: bytes, for: key)
            }
            guard let shared else { continue }
            found.values[sections.indices[index]] = shared.section
            if !shared.isCached || isCopied[index] { ownBytes += shared.bytes }
        }
        var meta = meta
        if !separate.experiments.isEmpty {
            var included = experiments.dictionary
            for ((_, condition), index) in zip(separate.experiments, experiments.indices) {
                included.values[index] = .bool(results[condition])
            }
            meta["experiments"] = .object(included)
        }
        return (ConfigurationState(meta: meta, sections: found), ownBytes)
    }

    /// Approximate memory of a parsed section per byte of its text.
    private static let factor = 6

    private static func parsed(_ text: Data) -> ConfigurationState {
        // Cannot fail: the server's renderer wrote the text.
        let state = try? ConfigurationState(
            jsonData: text,
            limits: ConfigurationLimits(
                maximumSize: .max, maximumDepth: ConfigurationLimits.depthLimit))
        return state ?? ConfigurationState(meta: [:], sections: [:])
    }
}

/// A dictionary to copy, whose values are then set without hashing the keys.
private struct PreparedDictionary<Value: Sendable>: Sendable {
    let dictionary: [String: Value]
    /// The places of the keys, in the order in which they were given.
    let indices: [Dictionary<String, Value>.Index]

    /// Creates a dictionary in which each key has this value; of equal keys the first counts.
    init(keys: [String], value: Value) {
        let dictionary = Dictionary(keys.map { ($0, value) }) { first, _ in first }
        self.dictionary = dictionary
        indices = keys.compactMap { dictionary.index(forKey: $0) }
    }
}
