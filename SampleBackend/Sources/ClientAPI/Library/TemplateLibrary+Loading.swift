package import Foundation
import JSONTree
import Logging
import NIOConcurrencyHelpers
import Rendering
import Targeting
package import TemplateStore
import Templates

extension TemplateLibrary {
    /// Loads everything from the store.
    ///
    /// - Throws: The store's error; the library then keeps its previous state, or the part that was
    ///   already loaded.
    package func load() async throws(TemplateStoreError) {
        try await load { () throws(TemplateStoreError) in try await store.snapshot() }
    }

    /// Loads a snapshot that was taken earlier, for use while the store does not answer.
    package func load(
        _ snapshot: TemplateStoreSnapshot, takenAt date: Date
    ) async throws(TemplateStoreError) {
        try await load { snapshot }
        state.withLockedValue { $0.snapshotDate = date }
    }

    /// What clients are served from, for a later ``load(_:takenAt:)``.
    ///
    /// The templates have the revision of the library, which does not keep theirs.
    package func snapshot() -> TemplateStoreSnapshot {
        let state = state.withLockedValue { $0 }
        let templates = state.projects.sorted { $0.key.precedes($1.key) }.map { name, project in
            StoredTemplate(
                project: name, version: project.compiled.version,
                content: project.compiled.template.json(includingVersion: false).jsonData(),
                revision: state.revision, deletedVersion: state.deletedVersions[name])
        }
        let overrides = state.projects.mapValues { project in
            Dictionary(
                project.overrides.map { (Data($0.text.utf8), $1.json.jsonData()) },
                uniquingKeysWith: { first, _ in first })
        }
        var snapshot = TemplateStoreSnapshot(
            templates: templates, overrides: overrides.filter { !$1.isEmpty },
            projectDetails: state.projectDetails, revision: state.revision)
        snapshot.deletedVersions = state.deletedVersions
        snapshot.versionFloor = state.versionFloor
        return snapshot
    }

    /// Reads the newest version of a project from the store and applies it, unless it is already
    /// known or known to be unreadable.
    func readNewestVersion(ofProject name: String) async throws(TemplateStoreError) {
        let page = try await store.versions(inProject: name, matching: VersionQuery(limit: 1))
        // A created project has a template before its first version.
        let newest = page.versions.first?.number ?? .max
        guard newest > project(name)?.compiled.version.number ?? -1,
            newest > unreadableVersion(ofProject: name)?.number ?? -1,
            let stored = try await store.template(version: nil, inProject: name)
        else { return }
        try await readVersionFloor(ifRaisedBefore: stored)
        apply(stored)
    }

    /// True for the current version and those that the store has; true for all while the store does
    /// not answer.
    func hasVersion(_ number: Int, ofProject name: String) async -> Bool {
        if project(name)?.compiled.version.number == number { return true }
        let query = VersionQuery(limit: 1, endVersion: number)
        guard let page = try? await store.versions(inProject: name, matching: query) else {
            return true
        }
        return page.versions.first?.number == number
    }

    /// The newest readable version of the ten before an unreadable one; nil when there is none.
    private func newestReadable(before stored: StoredTemplate) async -> CompiledTemplate? {
        let query = VersionQuery(limit: 10, endVersion: stored.version.number - 1)
        let page = try? await store.versions(inProject: stored.project, matching: query)
        for version in page?.versions ?? [] {
            let earlier = try? await store.template(
                version: version.number, inProject: stored.project)
            if let compiled = earlier.flatMap({ compile($0) }) { return compiled }
        }
        return nil
    }

    /// Replaces everything with a snapshot of the store, except what was applied while it was
    /// taken: deletions, newer versions and details, and pinned values that were read later.
    ///
    /// This process's publishes, and reads on behalf of clients, change the library while the store
    /// takes the snapshot and templates compile. Holding the lock for so long would stop all
    /// answers; so the state is noted before, compared after, and what changed in between wins.
    func load(
        by read: () async throws(TemplateStoreError) -> TemplateStoreSnapshot
    ) async throws(TemplateStoreError) {
        let known = beginLoad()
        defer { state.withLockedValue { $0.overridesReads.end() } }
        let snapshot = try await read()
        // Data that cannot be read is left out, so that it does not stop all other projects.
        for omission in snapshot.omissions { logger.error("\(omission)") }
        let compiled = await compile(snapshot)
        let replacement = state.withLockedValue { state in
            let replacement = state.replace(by: compiled, since: known)
            // Under the lock, as in `apply`.
            for (name, project) in state.projects {
                metrics.setVersion(project.compiled.version.number, ofProject: name)
            }
            for name in replacement.before.keys where state.projects[name] == nil {
                metrics.removeVersion(ofProject: name)
            }
            return replacement
        }
        // Outside the lock, since what is notified reads the library. Deletions come first: streams
        // of a deleted project must end before a new one of that name is announced.
        for name in replacement.deleted { announceDeletion(ofProject: name) }
        earlierOverrides.expectChanges(inProjects: versions.keys)
        if replacement.isFloorRaised { notify(.versionFloor) }
        notify(.everything)
        // Clients that resume at the same version receive no other notification of changed pinned
        // values.
        for (name, project) in replacement.before {
            notifyOverrides(changedFrom: project, inProject: name)
        }
        // The snapshot may be newer than these values, or may contain a project that is new to this
        // process.
        for owner in replacement.readLater {
            try await readOverrides(ofUser: owner.userID.text, inProject: owner.project)
        }
    }

    private func beginLoad() -> KnownState {
        let versions = versions.mapValues(\.number)
        return state.withLockedValue { state in
            KnownState(
                read: state.overridesReads.begin(), versions: versions,
                details: state.projectDetails, deletedVersions: state.deletedVersions)
        }
    }

    /// Compiles the templates of a snapshot; instead of an unreadable one, a project has the one in
    /// memory, or the newest readable one.
    private func compile(_ snapshot: TemplateStoreSnapshot) async -> CompiledSnapshot {
        var compiled = CompiledSnapshot(snapshot: snapshot)
        for (name, contents) in snapshot.overrides {
            compiled.overrides[name] = overrides(contents, of: name)
        }
        state.withLockedValue { $0.unreadable = [:] }
        for stored in snapshot.templates {
            let pinned = compiled.overrides[stored.project] ?? [:]
            if let template = compile(stored) {
                compiled.projects[stored.project] = PublishedProject(
                    template, overrides: pinned, cache: cache)
            } else if let known = project(stored.project),
                // Not the template of a deleted project of that name.
                known.compiled.version.number > stored.deletedVersion ?? -1
            {
                compiled.projects[stored.project] = known.settingAllOverrides(pinned)
            } else if let template = await newestReadable(before: stored) {
                compiled.projects[stored.project] = PublishedProject(
                    template, overrides: pinned, cache: cache)
            }
        }
        return compiled
    }

    /// The state before a load, to find what is applied while the store is read.
    fileprivate struct KnownState: Sendable {
        /// Orders the load among the reads of pinned values.
        let read: ReadOrder<OverridesOwner>.Number
        let versions: [String: Int]  // names: names of projects are ASCII
        // names: names of projects are ASCII
        let details: [String: StoredProjectDetails]
        let deletedVersions: [String: Int]  // names: names of projects are ASCII
    }

    /// A snapshot of the store with its templates compiled.
    fileprivate struct CompiledSnapshot: Sendable {
        let snapshot: TemplateStoreSnapshot
        var projects: [String: PublishedProject] = [:]  // names: names of projects are ASCII
        // names: names of projects are ASCII
        var overrides: [String: [ExactText: OverridesDocument]] = [:]
    }

    /// The effects of a load, which follow outside the lock.
    fileprivate struct Replacement: Sendable {
        /// The projects before the load.
        let before: [String: PublishedProject]  // names: names of projects are ASCII
        /// Names of the projects that were deleted.
        var deleted: [String] = []
        var isFloorRaised = false
        /// The users whose pinned values in memory may be newer than the snapshot's, or older.
        var readLater: [OverridesOwner] = []
    }
}

extension TemplateLibrary.State {
    /// Replaces everything with a snapshot, except what was applied after `known`; nothing after a
    /// load that started later, which contains everything that this one has.
    fileprivate mutating func replace(
        by compiled: TemplateLibrary.CompiledSnapshot, since known: TemplateLibrary.KnownState
    ) -> TemplateLibrary.Replacement {
        var replacement = TemplateLibrary.Replacement(before: projects)
        guard let readLater = overridesReads.takeAll(known.read) else { return replacement }
        replacement.readLater = readLater
        let snapshot = compiled.snapshot
        let deletedDuringRead = deletedVersions.filter { $1 > known.deletedVersions[$0] ?? -1 }
        let appliedDuringRead = projectDetails.filter { name, details in
            details.revision > known.details[name]?.revision ?? .zero
        }
        projects = compiled.projects
        projectDetails = snapshot.projectDetails
        deletedVersions = snapshot.deletedVersions
        replacement.isFloorRaised = snapshot.versionFloor > versionFloor
        versionFloor = max(snapshot.versionFloor, versionFloor)
        for (name, version) in deletedDuringRead { _ = remove(project: name, upTo: version) }
        projectDetails.merge(appliedDuringRead) { $0.revision > $1.revision ? $0 : $1 }
        for (name, later) in replacement.before {
            let number = later.compiled.version.number
            guard number > known.versions[name] ?? -1, isNews(number, ofProject: name) else {
                continue
            }
            let isAnother = deletedDuringRead.keys.contains(name)
            // Pinned values that changed during the read follow as changes after the snapshot's
            // revision.
            projects[name] = later.settingAllOverrides(
                isAnother ? [:] : compiled.overrides[name] ?? [:])
        }
        keepOverrides(of: readLater, from: replacement.before)
        (revision, isLoaded, snapshotDate) = (snapshot.revision, true, nil)
        // Compares versions, since a new project can have the name of the deleted one.
        replacement.deleted = replacement.before.compactMap { name, project in
            let isDeleted =
                projects[name] == nil
                || project.compiled.version.number <= deletedVersions[name] ?? -1
            return isDeleted ? name : nil
        }
        return replacement
    }

    /// Keeps the values of users whose read ended after the load began, which may be newer than the
    /// snapshot, until they are read again after it.
    private mutating func keepOverrides(
        of owners: [TemplateLibrary.OverridesOwner],
        from before: [String: PublishedProject]  // names: names of projects are ASCII
    ) {
        for owner in owners {
            guard let project = before[owner.project],
                project.compiled.version.number > deletedVersions[owner.project] ?? -1
            else { continue }
            projects[owner.project] = projects[owner.project]?.settingOverrides(
                project.overrides[owner.userID], forUserID: owner.userID.text)
        }
    }
}
