import Foundation
package import Logging
import NIOConcurrencyHelpers
package import Rendering
package import Targeting
package import TemplateStore
package import Templates

/// A type that holds the current template of every project in memory, and follows the store.
///
/// Clients are answered from it alone: while the store is away, they get what was last known.
package final class TemplateLibrary: Sendable {
    /// What is known, and of when.
    private struct State: Sendable {
        /// The projects by name.
        var projects: [String: ProjectConfiguration] = [:]
        /// The revision of the store that is seen.
        var revision = StoreRevision.zero
        /// Whether the store was read.
        var isLoaded = false
        var compilationCount = 0
    }

    private let state = NIOLockedValueBox(State())

    /// What is called after each change.
    private let observer = NIOLockedValueBox<(@Sendable (LibraryChange) -> Void)?>(nil)

    /// Where templates are kept.
    package let store: any TemplateStore

    /// Where faults are named.
    private let logger: Logger

    /// What is counted.
    private let metrics: LibraryMetrics

    /// The most bytes of rendered documents to keep for a project.
    private let cacheBytes: Int

    /// Makes an empty library.
    ///
    /// - Parameters:
    ///   - store: Where templates are kept.
    ///   - logger: Where faults are named.
    ///   - metrics: What is counted.
    ///   - cacheBytes: The most bytes of rendered documents to keep for a project.
    package init(
        store: any TemplateStore, logger: Logger, metrics: LibraryMetrics = LibraryMetrics(),
        cacheBytes: Int = ProjectConfiguration.defaultCacheBytes
    ) {
        self.store = store
        self.logger = logger
        self.metrics = metrics
        self.cacheBytes = cacheBytes
    }

    /// The current configuration of a project, or nil when nothing was published in it.
    package func project(_ name: String) -> ProjectConfiguration? {
        state.withLockedValue { $0.projects[name] }
    }

    /// The current version of each project, by name.
    package var versions: [String: TemplateVersion] {
        state.withLockedValue { $0.projects.mapValues(\.compiled.version) }
    }

    /// The revision up to which everything is known.
    package var revision: StoreRevision { state.withLockedValue { $0.revision } }

    /// Number of templates that were parsed and compiled here.
    package var compilationCount: Int { state.withLockedValue { $0.compilationCount } }

    /// Calls a closure after each change from now on, in place of any other.
    ///
    /// What is known at the time of the call may be newer than the change.
    package func observe(_ observer: @escaping @Sendable (LibraryChange) -> Void) {
        self.observer.withLockedValue { $0 = observer }
    }

    /// Tells of a change.
    private func tell(_ change: LibraryChange) {
        observer.withLockedValue { $0 }?(change)
    }

    /// Reads everything from the store.
    ///
    /// - Throws: What the store throws; what was known stays.
    package func load() async throws(TemplateStoreError) {
        let snapshot = try await store.snapshot()
        var projects: [String: ProjectConfiguration] = [:]
        for stored in snapshot.templates {
            guard let compiled = compile(stored) else {
                projects[stored.project] = project(stored.project)
                continue
            }
            projects[stored.project] = ProjectConfiguration(
                compiled,
                overrides: overrides(snapshot.overrides[stored.project] ?? [:], of: stored.project),
                cacheBytes: cacheBytes)
        }
        state.withLockedValue { [projects] state in
            state.projects = projects
            state.revision = snapshot.revision
            state.isLoaded = true
        }
        for (name, project) in projects {
            metrics.setVersion(project.compiled.version.number, ofProject: name)
        }
        tell(.everything)
    }

    /// Takes over a version that was published, unless a later one is known.
    package func apply(_ stored: StoredTemplate) {
        guard let compiled = compile(stored) else { return }
        apply(compiled, project: stored.project)
    }

    /// Takes over a version that is worked out already, unless a later one is known.
    package func apply(_ compiled: CompiledTemplate, project name: String) {
        let isNews = state.withLockedValue { state in
            let known = state.projects[name]
            guard (known?.compiled.version.number ?? 0) < compiled.version.number else {
                return false
            }
            state.projects[name] = ProjectConfiguration(
                compiled, overrides: known?.overrides ?? [:], cacheBytes: cacheBytes)
            return true
        }
        guard isNews else { return }
        metrics.setVersion(compiled.version.number, ofProject: name)
        tell(.project(name))
    }

    /// Takes over what is pinned for a user.
    package func apply(
        _ overrides: OverridesDocument?, forUserID userID: String, inProject name: String
    ) {
        let before = state.withLockedValue { state in
            let before = state.projects[name]?.overrides[UserKey(userID)]
            state.projects[name] = state.projects[name]?.settingOverrides(
                overrides, forUserID: userID)
            return before
        }
        guard before != overrides else { return }
        let sections = Set([before, overrides].flatMap { $0?.sections.keys.map(\.self) ?? [] })
        tell(.overrides(project: name, userID: userID, sections: sections))
    }

    /// A version of a project that is still kept, worked out, and the bytes it is stored in; nil
    /// when it is not kept.
    package func version(
        _ number: Int, ofProject project: String
    ) async throws(TemplateStoreError) -> (template: CompiledTemplate, size: Int)? {
        guard let stored = try await store.template(version: number, inProject: project) else {
            return nil
        }
        return compile(stored).map { ($0, stored.content.count) }
    }

    /// Takes over a change of the store, and remembers its revision.
    package func apply(_ change: StoreChange) async throws(TemplateStoreError) {
        switch change.subject {
        case .template(let project, let version):
            // A version that this process published is compiled already.
            guard (self.project(project)?.compiled.version.number ?? 0) < version else { break }
            if let stored = try await store.template(version: version, inProject: project) {
                apply(stored)
            }
        case .overrides(let project, let userID):
            let content = try await store.overrides(forUserID: userID, inProject: project)
            apply(
                content.flatMap { overrides($0, of: project) }, forUserID: userID,
                inProject: project)
        case .tokens, .webhooks: break
        }
        state.withLockedValue { $0.revision = max($0.revision, change.revision) }
    }

    /// Names an error of the store in the log.
    package func log(_ error: TemplateStoreError, operation: String) {
        logger.error(
            "The store failed", metadata: ["operation": "\(operation)", "error": "\(error)"])
    }

    /// Works out a stored version; one that this program cannot read is named in the log.
    private func compile(_ stored: StoredTemplate) -> CompiledTemplate? {
        state.withLockedValue { $0.compilationCount += 1 }
        do {
            let validated = try ValidatedTemplate(jsonData: stored.content, limits: .none)
            for excess in validated.excesses.prefix(10) {
                logger.warning(
                    "A condition of a stored template exceeds a limit",
                    metadata: [
                        "project": "\(stored.project)", "version": "\(stored.version.number)",
                        "condition": "\(excess.path)", "problem": "\(excess.message)",
                    ])
            }
            return CompiledTemplate(validated, version: stored.version)
        } catch {
            logger.error(
                "A stored template cannot be read; the version before it stays",
                metadata: [
                    "project": "\(stored.project)", "version": "\(stored.version.number)",
                    "error": "\(error)",
                ])
            return nil
        }
    }

    /// Reads what is pinned for the users of a project.
    private func overrides(
        _ contents: [Data: Data], of project: String
    ) -> [UserKey: OverridesDocument] {
        var result: [UserKey: OverridesDocument] = [:]
        for (userID, content) in contents {
            result[UserKey(String(decoding: userID, as: UTF8.self))] = overrides(
                content, of: project)
        }
        return result
    }

    /// Reads what is pinned for a user; what this program cannot read is named in the log.
    private func overrides(_ content: Data, of project: String) -> OverridesDocument? {
        do {
            return try OverridesDocument(jsonData: content)
        } catch {
            logger.error(
                "Stored overrides cannot be read; they do not count",
                metadata: ["project": "\(project)", "error": "\(error)"])
            return nil
        }
    }
}

extension TemplateLibrary: ConfigurationSource {
    package func configuration(
        inProject project: String, forUserID userID: String?, signals: Signals
    ) throws -> RenderedConfiguration? {
        guard let project = self.project(project) else {
            if state.withLockedValue({ $0.isLoaded }) { return nil }
            throw TemplateStoreError(.unavailable, "The templates are not read yet.")
        }
        let outcome = project.rendered(
            for: TargetingContext(userID: userID, signals: signals, date: Date()))
        metrics.countEvaluation(wasCached: outcome.wasCached)
        return outcome.configuration
    }

    package func checkReadiness() async throws {
        guard state.withLockedValue({ $0.isLoaded }) else {
            throw TemplateStoreError(.unavailable, "The templates are not read yet.")
        }
        try await store.checkReadiness()
    }
}

/// Something that changed in the library, by this process or another.
package enum LibraryChange: Sendable, Hashable {
    /// A project has a new version.
    case project(String)
    /// What is pinned for a user changed, in these sections.
    case overrides(project: String, userID: String, sections: Set<String>)
    /// Everything was read anew.
    case everything
}
