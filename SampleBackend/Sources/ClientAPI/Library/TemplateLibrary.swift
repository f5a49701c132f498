package import Foundation
package import JSONTree
package import Logging
import NIOConcurrencyHelpers
package import Rendering
import Targeting
package import TemplateStore
package import Templates

/// The current templates of all projects, in memory and kept in sync with the store.
///
/// Clients are answered only from the library: during an outage of the store they receive the last
/// known state.
package final class TemplateLibrary: Sendable {
    /// A user whose pinned values are read.
    struct OverridesOwner: Hashable, Sendable {
        let project: String
        let userID: ExactText
    }

    struct State: Sendable {
        var projects: [String: PublishedProject] = [:]  // names: names of projects are ASCII
        /// Orders the reads of pinned values.
        var overridesReads = ReadOrder<OverridesOwner>()
        /// The details of all projects that have any.
        // names: names of projects are ASCII
        var projectDetails: [String: StoredProjectDetails] = [:]
        /// The store revision up to which changes are applied.
        var revision = StoreRevision.zero
        var isLoaded = false
        /// The time of the snapshot that was loaded instead of the store.
        var snapshotDate: Date?
        /// The newest unreadable version of each project.
        var unreadable: [String: TemplateVersion] = [:]  // names: names of projects are ASCII
        var compilationCount = 0
        var comparisonCount = 0
        /// The template of each project that this process is publishing.
        var prepared: [String: PreparedTemplate] = [:]  // names: names of projects are ASCII
        /// The version floor of the store.
        var versionFloor = 0
        /// The last version of each deleted project; nothing here belongs to it or an earlier one.
        var deletedVersions: [String: Int] = [:]  // names: names of projects are ASCII
    }

    /// A template compiled before it is stored.
    struct PreparedTemplate: Sendable {
        /// The text to store.
        let content: Data
        /// Compiled with the version number that it gets unless another publish comes first.
        let compiled: CompiledTemplate
        /// The changes since its predecessor; nil when the predecessor was not known.
        let changedSections: ChangedSections?
    }

    let state = NIOLockedValueBox(State())
    private let observers = NIOLockedValueBox<[@Sendable (LibraryChange) -> Void]>([])
    package let store: any TemplateStore
    package let earlierOverrides: EarlierOverrides
    /// Nil for a store that no process on another machine can change.
    package let progress: StoreProgress?
    let logger: Logger
    let metrics: LibraryMetrics

    /// The rendered documents of all projects.
    let cache: RenderCache

    /// Creates an empty library that caches at most `cacheBytes` of rendered documents.
    package init(
        store: any TemplateStore, logger: Logger, metrics: LibraryMetrics = LibraryMetrics(),
        cacheBytes: Int = 32 << 20,
        earlierOverrides: EarlierOverrides? = nil
    ) {
        self.store = store
        progress = StoreProgress(of: store)
        self.earlierOverrides =
            earlierOverrides ?? EarlierOverrides(store: store, logger: logger)
        self.logger = logger
        self.metrics = metrics
        cache = RenderCache(maximumBytes: cacheBytes)
    }

    /// A project with its current version; nil when there is no such project.
    package func project(_ name: String) -> PublishedProject? {
        state.withLockedValue { $0.projects[name] }
    }

    /// The time at which the loaded snapshot was taken; nil when the library was loaded from the
    /// store.
    package var snapshotDate: Date? { state.withLockedValue(\.snapshotDate) }

    /// True once the store or a snapshot has been loaded.
    var isLoaded: Bool { state.withLockedValue { $0.isLoaded } }

    package var versions: [String: TemplateVersion] {  // names: names of projects are ASCII
        state.withLockedValue { $0.projects.mapValues(\.compiled.version) }
    }

    /// The details of a project that administrators see.
    package func projectDetails(ofProject name: String) -> ProjectDetails {
        state.withLockedValue { $0.projectDetails[name]?.details } ?? ProjectDetails()
    }

    /// Applies the details of a project unless they are stale.
    package func apply(_ details: StoredProjectDetails, project name: String) {
        state.withLockedValue { $0.apply(details, project: name) }
    }

    /// The store revision up to which all changes are applied.
    package var revision: StoreRevision { state.withLockedValue { $0.revision } }

    /// Number of templates that this process has parsed and compiled.
    package var compilationCount: Int { state.withLockedValue { $0.compilationCount } }

    /// Number of versions that this process has compared with their predecessor.
    package var comparisonCount: Int { state.withLockedValue { $0.comparisonCount } }

    /// The sections that may differ between two versions of a project; nil unless the later one is
    /// current and the other is its predecessor.
    package func changedSections(
        ofProject project: String, from oldVersion: Int, to newVersion: Int
    ) -> [String]? {
        guard let changed = self.project(project)?.changedSections,
            changed.oldVersion == oldVersion, changed.newVersion == newVersion
        else { return nil }
        return changed.names
    }

    /// Adds a closure that is called after each change.
    ///
    /// By the time of the call the library may already contain later changes.
    package func observe(_ observer: @escaping @Sendable (LibraryChange) -> Void) {
        observers.withLockedValue { $0.append(observer) }
    }

    func notify(_ change: LibraryChange) {
        for observer in observers.withLockedValue({ $0 }) { observer(change) }
    }

    /// Compiles a template that is not stored yet, and compares it with the current version.
    ///
    /// The store announces a version before it answers the publisher, so either the publisher or
    /// the reader of the store's changes may apply it first; both find it prepared. `content` is
    /// the text to store.
    package func prepare(
        _ validated: ValidatedTemplate, content: Data, project name: String
    ) {
        let next = TemplateVersion(
            number: (project(name)?.compiled.version.number ?? 0) + 1, updateTime: Date())
        let compiled = CompiledTemplate(validated, version: next)
        let prepared = PreparedTemplate(
            content: content, compiled: compiled,
            changedSections: changedSections(by: compiled, inProject: name))
        state.withLockedValue { $0.prepared[name] = prepared }
    }

    /// Removes the prepared template of a project after it was applied or could not be stored.
    package func forgetPrepared(project name: String) {
        state.withLockedValue { $0.prepared[name] = nil }
    }

    /// Applies a published version unless it is stale.
    ///
    /// If it shows that the known project was deleted, it replaces everything of that project.
    package func apply(_ stored: StoredTemplate) { apply(stored) { _ in } }

    /// Applies a published version unless it is stale, together with an update of the state.
    func apply(_ stored: StoredTemplate, alongside update: (inout State) -> Void) {
        let name = stored.project
        let number = stored.version.number
        let (isNews, prepared) = state.withLockedValue {
            ($0.isNews(number, ofProject: name), $0.prepared[name])
        }
        var compiled: CompiledTemplate?
        var changed: ChangedSections?
        if isNews, let prepared, prepared.content == stored.content {
            compiled = prepared.compiled.asVersion(stored.version)
            if number == prepared.compiled.version.number { changed = prepared.changedSections }
        } else if isNews {
            compiled = compile(stored)
        }
        if let compiled, changed == nil {
            changed = changedSections(by: compiled, inProject: name)
        }
        let (isApplied, wasDeleted) = state.withLockedValue { state in
            let wasDeleted = state.remove(project: name, upTo: stored.deletedVersion)
            update(&state)
            if let compiled, state.isNews(number, ofProject: name) {
                state.projects[name] = PublishedProject(
                    compiled, changedSections: wasDeleted ? nil : changed,
                    overrides: state.projects[name]?.overrides ?? [:], cache: cache)
                // Set under the lock: if two threads set the gauge in another order, it would keep
                // an old version.
                metrics.setVersion(number, ofProject: name)
                return (true, wasDeleted)
            }
            if wasDeleted { metrics.removeVersion(ofProject: name) }
            return (false, wasDeleted)
        }
        if wasDeleted { announceDeletion(ofProject: name) }
        if isApplied { notify(.project(name)) }
    }

    /// Compares a version with its predecessor; nil when that is not the current version.
    private func changedSections(
        by compiled: CompiledTemplate, inProject name: String
    ) -> ChangedSections? {
        guard let known = project(name)?.compiled,
            known.version.number == compiled.version.number - 1
        else { return nil }
        state.withLockedValue { $0.comparisonCount += 1 }
        return ChangedSections(from: known, to: compiled)
    }

    /// A compiled version of a project and its stored size in bytes; nil when the version was
    /// pruned or cannot be read.
    package func version(
        _ number: Int, ofProject project: String
    ) async throws(TemplateStoreError) -> (template: CompiledTemplate, size: Int)? {
        guard let stored = try await store.template(version: number, inProject: project) else {
            return nil
        }
        return compile(stored).map { ($0, stored.content.count) }
    }

    /// Applies a change of the store and advances the revision.
    package func apply(_ change: StoreChange) async throws(TemplateStoreError) {
        switch change.subject {
        case .template(let project, let version):
            // The process that published the version has usually applied it before this
            // notification.
            guard (self.project(project)?.compiled.version.number ?? -1) < version else { break }
            if let stored = try await store.template(version: version, inProject: project) {
                apply(stored)
            }
        case .overrides(let project, let userID):
            try await readOverrides(ofUser: userID, inProject: project)
        case .projectDetails(let project):
            if let details = try await store.projectDetails(ofProject: project) {
                apply(details, project: project)
            }
        case .project(let project): try await readProject(project, at: change.revision)
        case .session(id: ""): try await readVersionFloor()
        case .tokens, .session, .webhooks, .changeRequest: break
        }
        state.withLockedValue { $0.revision = max($0.revision, change.revision) }
    }

    package func log(_ error: TemplateStoreError, operation: String) {
        logger.error(
            "The store failed", metadata: ["operation": "\(operation)", "error": "\(error)"])
    }

    /// Compiles a stored version; nil when it cannot be read, which is logged.
    func compile(_ stored: StoredTemplate) -> CompiledTemplate? {
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
                "A stored template cannot be read; the previous version stays active",
                metadata: [
                    "project": "\(stored.project)", "version": "\(stored.version.number)",
                    "error": "\(error)",
                ])
            state.withLockedValue { state in
                let known = state.unreadable[stored.project]?.number ?? 0
                if stored.version.number > known {
                    state.unreadable[stored.project] = stored.version
                }
            }
            return nil
        }
    }
}

/// A change of the library, by this process or another.
package enum LibraryChange: Sendable, Hashable {
    /// A project has a new version.
    case project(String)
    /// A project was deleted: forget everything about it. A new one can already have its name.
    case deletion(String)
    /// The version floor was raised; versions above it follow.
    case versionFloor
    /// The pinned values of a user changed in these sections.
    case overrides(project: String, userID: String, sections: Set<ExactText>)
    /// Everything was reloaded.
    case everything
}
