import Foundation
package import Logging
import NIOConcurrencyHelpers
package import Rendering
import Targeting
package import TemplateStore
package import Templates

/// The current template of every project, in memory and kept in sync with the store.
///
/// Clients are answered from it alone: during an outage of the store they get the last known state.
package final class TemplateLibrary: Sendable {
    /// A user, whose overrides are read.
    private struct OverridesOwner: Hashable, Sendable {
        let project: String
        let userID: ExactText
    }

    private struct State: Sendable {
        var projects: [String: PublishedProject] = [:]
        /// Orders the reads of overrides.
        var overridesReads = ReadOrder<OverridesOwner>()
        /// The details of the projects of which they were ever set.
        var projectDetails: [String: StoredProjectDetails] = [:]
        /// The store revision whose changes are applied.
        var revision = StoreRevision.zero
        var isLoaded = false
        var compilationCount = 0
        var comparisonCount = 0
    }

    private let state = NIOLockedValueBox(State())
    private let observer = NIOLockedValueBox<(@Sendable (LibraryChange) -> Void)?>(nil)
    package let store: any TemplateStore
    package let earlierOverrides: EarlierOverrides
    let logger: Logger
    let metrics: LibraryMetrics

    /// Maximum bytes of cached rendered documents per project.
    private let cacheBytes: Int

    /// Creates an empty library that caches at most `cacheBytes` of rendered documents per project.
    package init(
        store: any TemplateStore, logger: Logger, metrics: LibraryMetrics = LibraryMetrics(),
        cacheBytes: Int = PublishedProject.defaultCacheBytes,
        earlierOverrides: EarlierOverrides? = nil
    ) {
        self.store = store
        self.earlierOverrides =
            earlierOverrides ?? EarlierOverrides(store: store, logger: logger)
        self.logger = logger
        self.metrics = metrics
        self.cacheBytes = cacheBytes
    }

    /// A project with its current version; nil when nothing was published in it.
    package func project(_ name: String) -> PublishedProject? {
        state.withLockedValue { $0.projects[name] }
    }

    /// True once the store has been loaded.
    var isLoaded: Bool { state.withLockedValue { $0.isLoaded } }

    package var versions: [String: TemplateVersion] {
        state.withLockedValue { $0.projects.mapValues(\.compiled.version) }
    }

    /// What administrators tell a project apart by.
    package func projectDetails(ofProject name: String) -> ProjectDetails {
        state.withLockedValue { $0.projectDetails[name]?.details } ?? ProjectDetails()
    }

    /// Applies the details of a project, unless they are stale.
    package func apply(_ details: StoredProjectDetails, project name: String) {
        state.withLockedValue { state in
            guard details.revision > state.projectDetails[name]?.revision ?? .zero else { return }
            state.projectDetails[name] = details
        }
    }

    /// The store revision up to which all changes are applied.
    package var revision: StoreRevision { state.withLockedValue { $0.revision } }

    /// Number of templates that were parsed and compiled here.
    package var compilationCount: Int { state.withLockedValue { $0.compilationCount } }

    /// Number of versions that were compared here with the one before.
    package var comparisonCount: Int { state.withLockedValue { $0.comparisonCount } }

    /// The sections that may differ between two versions of a project, if the later one is current
    /// and the other is the one before; else nil.
    package func changedSections(
        ofProject project: String, from oldVersion: Int, to newVersion: Int
    ) -> [String]? {
        guard let changed = self.project(project)?.changedSections,
            changed.oldVersion == oldVersion, changed.newVersion == newVersion
        else { return nil }
        return changed.names
    }

    /// Sets the closure that is called after each change, replacing any other.
    ///
    /// The library may be newer than the change by the time of the call.
    package func observe(_ observer: @escaping @Sendable (LibraryChange) -> Void) {
        self.observer.withLockedValue { $0 = observer }
    }

    private func notify(_ change: LibraryChange) {
        observer.withLockedValue { $0 }?(change)
    }

    /// Loads everything from the store.
    ///
    /// - Throws: The store's error; what was known stays, or what was read until then.
    package func load() async throws(TemplateStoreError) {
        try await load { () throws(TemplateStoreError) in try await store.snapshot() }
    }

    /// Replaces everything by a snapshot of the store, except for what was applied while it was taken:
    /// newer versions, and overrides that were read later.
    func load(
        by read: () async throws(TemplateStoreError) -> TemplateStoreSnapshot
    ) async throws(TemplateStoreError) {
        let known = versions.mapValues(\.number)
        let number = state.withLockedValue { $0.overridesReads.begin() }
        defer { state.withLockedValue { $0.overridesReads.end() } }
        let snapshot = try await read()
        var projects: [String: PublishedProject] = [:]
        var overrides: [String: [ExactText: OverridesDocument]] = [:]
        for (name, contents) in snapshot.overrides {
            overrides[name] = self.overrides(contents, of: name)
        }
        for stored in snapshot.templates {
            let pinned = overrides[stored.project] ?? [:]
            guard let compiled = compile(stored) else {
                projects[stored.project] = project(stored.project)?.settingAllOverrides(pinned)
                continue
            }
            projects[stored.project] = PublishedProject(
                compiled, overrides: pinned, cacheBytes: cacheBytes)
        }
        for (name, details) in snapshot.projectDetails { apply(details, project: name) }
        let (before, readLater) = state.withLockedValue { [projects, overrides] state in
            let before = state.projects
            // A load that began later has all that this one has.
            guard let readLater = state.overridesReads.takeAll(number) else {
                return (before, [OverridesOwner]())
            }
            state.projects = projects
            for (name, later) in before {
                let number = later.compiled.version.number
                guard number > known[name] ?? 0,
                    number > projects[name]?.compiled.version.number ?? 0
                else { continue }
                // Overrides that changed meanwhile follow, after the snapshot's revision.
                state.projects[name] = later.settingAllOverrides(overrides[name] ?? [:])
            }
            // Those that were read meanwhile stay until they are read again, below.
            for owner in readLater {
                guard let project = before[owner.project] else { continue }
                state.projects[owner.project] = state.projects[owner.project]?.settingOverrides(
                    project.overrides[owner.userID], forUserID: owner.userID.text)
            }
            state.revision = snapshot.revision
            state.isLoaded = true
            for (name, project) in state.projects {
                metrics.setVersion(project.compiled.version.number, ofProject: name)
            }
            return (before, readLater)
        }
        earlierOverrides.expectChanges(inProjects: versions.keys)
        notify(.everything)
        // Clients that resume at the same version hear of nothing else that their overrides changed.
        for (name, project) in before {
            notifyOverrides(changedFrom: project, inProject: name)
        }
        // The snapshot may be newer than what was read of them, and the project new here.
        for owner in readLater {
            try await readOverrides(ofUser: owner.userID.text, inProject: owner.project)
        }
    }

    private func notifyOverrides(changedFrom before: PublishedProject, inProject name: String) {
        let now = project(name)?.overrides ?? [:]
        for userID in Set(before.overrides.keys).union(now.keys)
        where before.overrides[userID] != now[userID] {
            notify(
                .overrides(
                    project: name, userID: userID.text,
                    sections: Self.sections(of: before.overrides[userID], now[userID])))
        }
    }

    private static func sections(of overrides: OverridesDocument?...) -> Set<String> {
        Set(overrides.flatMap { $0?.sections.keys.map(\.self) ?? [] })
    }

    /// Applies a published version, unless it is stale.
    package func apply(_ stored: StoredTemplate) {
        guard let compiled = compile(stored) else { return }
        apply(compiled, project: stored.project)
    }

    /// Applies a compiled version, unless it is stale.
    package func apply(_ compiled: CompiledTemplate, project name: String) {
        let changed = changedSections(by: compiled, inProject: name)
        let isNews = state.withLockedValue { state in
            let known = state.projects[name]
            guard (known?.compiled.version.number ?? 0) < compiled.version.number else {
                return false
            }
            state.projects[name] = PublishedProject(
                compiled, changedSections: changed, overrides: known?.overrides ?? [:],
                cacheBytes: cacheBytes)
            // Within the lock: a gauge that is set in another order keeps an old version.
            metrics.setVersion(compiled.version.number, ofProject: name)
            return true
        }
        guard isNews else { return }
        notify(.project(name))
    }

    /// Compares a version with the one before; nil when another one is current.
    private func changedSections(
        by compiled: CompiledTemplate, inProject name: String
    ) -> ChangedSections? {
        guard let known = project(name)?.compiled,
            known.version.number == compiled.version.number - 1
        else { return nil }
        state.withLockedValue { $0.comparisonCount += 1 }
        return ChangedSections(from: known, to: compiled)
    }

    /// Reads the overrides of a user, and applies them unless a read that began later was applied.
    package func readOverrides(
        ofUser userID: String, inProject name: String
    ) async throws(TemplateStoreError) {
        try await readOverrides(ofUser: userID, inProject: name) {
            () throws(TemplateStoreError) in
            try await store.overrides(forUserID: userID, inProject: name)
        }
    }

    func readOverrides(
        ofUser userID: String, inProject name: String,
        by read: () async throws(TemplateStoreError) -> Data?
    ) async throws(TemplateStoreError) {
        let number = state.withLockedValue { $0.overridesReads.begin() }
        defer { state.withLockedValue { $0.overridesReads.end() } }
        let overrides = try await read().flatMap { self.overrides($0, of: name) }
        let owner = OverridesOwner(project: name, userID: ExactText(userID))
        let before = state.withLockedValue { state -> OverridesDocument?? in
            guard state.overridesReads.take(number, of: owner) else { return nil }
            let before = state.projects[name]?.overrides[owner.userID]
            state.projects[name] = state.projects[name]?.settingOverrides(
                overrides, forUserID: userID)
            return .some(before)
        }
        guard let before else { return }
        guard before != overrides else { return }
        notify(
            .overrides(
                project: name, userID: userID, sections: Self.sections(of: before, overrides)))
    }

    /// A stored version of a project, compiled, and its stored size in bytes; nil when it was
    /// pruned or cannot be read.
    package func version(
        _ number: Int, ofProject project: String
    ) async throws(TemplateStoreError) -> (template: CompiledTemplate, size: Int)? {
        guard let stored = try await store.template(version: number, inProject: project) else {
            return nil
        }
        return compile(stored).map { ($0, stored.content.count) }
    }

    /// Applies a change of the store, and advances the revision.
    package func apply(_ change: StoreChange) async throws(TemplateStoreError) {
        switch change.subject {
        case .template(let project, let version):
            // The publisher's own process has usually applied the version before it hears of it here.
            // When it has not, the version is compiled twice.
            guard (self.project(project)?.compiled.version.number ?? 0) < version else { break }
            if let stored = try await store.template(version: version, inProject: project) {
                apply(stored)
            }
        case .overrides(let project, let userID):
            try await readOverrides(ofUser: userID, inProject: project)
        case .projectDetails(let project):
            if let details = try await store.projectDetails(ofProject: project) {
                apply(details, project: project)
            }
        case .tokens, .session, .webhooks: break
        }
        state.withLockedValue { $0.revision = max($0.revision, change.revision) }
    }

    package func log(_ error: TemplateStoreError, operation: String) {
        logger.error(
            "The store failed", metadata: ["operation": "\(operation)", "error": "\(error)"])
    }

    /// Compiles a stored version; nil when it cannot be read, which is logged.
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
}

/// A change of the library, by this process or another.
package enum LibraryChange: Sendable, Hashable {
    /// A project has a new version.
    case project(String)
    /// The overrides of a user changed, in these sections.
    case overrides(project: String, userID: String, sections: Set<String>)
    /// Everything was reloaded.
    case everything
}
