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
    private let documents: ResultsCache<EvaluatedDocument>

    /// Nil when each document has to be made as a whole.
    private let separate: SeparateSections?
    /// The variants of each section, by the results of its conditions.
    private let sections: [ResultsCache<ActiveConfigSection>]
    /// `meta` of all documents, without the experiments.
    private let meta: [String: SettingValue]

    init(_ project: PublishedProject, of config: ActiveConfig, cacheBytes: Int) {
        self.project = project
        self.config = config
        documents = ResultsCache(maximumBytes: cacheBytes / 2)
        separate = SeparateSections(project.compiled)
        let count = separate?.sections.count ?? 0
        sections = (0..<count).map { _ in
            ResultsCache(maximumBytes: cacheBytes / 2 / max(count, 1))
        }
        let version = project.compiled.version
        meta = [
            "creation_time": .string(version.updateTime.timestamp),
            "format_version_string": "1.0", "template_version": .integer(version.number),
        ]
    }

    /// Number of documents in memory.
    var cachedCount: Int { documents.count }

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
        if isCommon, let known = documents[basis.results] {
            return known.snapshot(forUserID: userID)
        }
        let state = state(for: basis.results, userID: userID, separate)
        let document = EvaluatedDocument(state, of: config)
        if isCommon {
            let bytes = Self.tableBytes * (state.sections.count + separate.experiments.count)
            documents.keep(document, of: bytes, for: basis.results)
        }
        return document.snapshot(forUserID: userID)
    }

    /// Approximate memory per section and experiment of a document whose sections are shared.
    private static let tableBytes = 160

    /// The document of a user without pinned values, put together from sections that users share.
    private func state(
        for results: ConditionResults, userID: String?, _ separate: SeparateSections
    ) -> ConfigurationState {
        var found: [String: ActiveConfigSection] = Dictionary(
            minimumCapacity: separate.sections.count)
        for (index, part) in separate.sections.enumerated() {
            let own = results.masked(by: part.conditions)
            if !part.showsUserID, let known = sections[index][own] {
                found[part.name] = known
                continue
            }
            let text = separate.document(ofSectionAt: index, for: results, userID: userID)
            guard let section = Self.parsed(Data(text)).sections[part.name] else { continue }
            found[part.name] = section
            if !part.showsUserID {
                sections[index].keep(section, of: Self.factor * text.count, for: own)
            }
        }
        var meta = meta
        if !separate.experiments.isEmpty {
            var experiments: [String: SettingValue] = Dictionary(
                minimumCapacity: separate.experiments.count)
            for (name, condition) in separate.experiments {
                experiments[name] = .bool(results[condition])
            }
            meta["experiments"] = .object(experiments)
        }
        return ConfigurationState(meta: meta, sections: found)
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

extension Dictionary {
    fileprivate init(minimumCapacity: Int) {
        self.init()
        reserveCapacity(minimumCapacity)
    }
}
