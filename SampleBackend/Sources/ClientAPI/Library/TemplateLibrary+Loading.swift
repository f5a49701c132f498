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
        let known = versions.mapValues(\.number)
        let (number, knownDetails, knownDeletions) = state.withLockedValue {
            ($0.overridesReads.begin(), $0.projectDetails, $0.deletedVersions)
        }
        defer { state.withLockedValue { $0.overridesReads.end() } }
        let snapshot = try await read()
        // Data that cannot be read is left out, so that it does not stop all other projects.
        for omission in snapshot.omissions { logger.error("\(omission)") }
        var projects: [String: PublishedProject] = [:]  // names: names of projects are ASCII
        // names: names of projects are ASCII
        var overrides: [String: [ExactText: OverridesDocument]] = [:]
        for (name, contents) in snapshot.overrides {
            overrides[name] = self.overrides(contents, of: name)
        }
        state.withLockedValue { $0.unreadable = [:] }
        for stored in snapshot.templates {
            let pinned = overrides[stored.project] ?? [:]
            if let compiled = compile(stored) {
                projects[stored.project] = PublishedProject(
                    compiled, overrides: pinned, cacheBytes: cacheBytes)
            } else if let known = project(stored.project),
                // Not the template of a deleted project of that name.
                known.compiled.version.number > stored.deletedVersion ?? -1
            {
                projects[stored.project] = known.settingAllOverrides(pinned)
            } else if let compiled = await newestReadable(before: stored) {
                projects[stored.project] = PublishedProject(
                    compiled, overrides: pinned, cacheBytes: cacheBytes)
            }
        }
        let (before, readLater, deleted, isRaised) = state.withLockedValue {
            [projects, overrides] state in
            let before = state.projects
            // A load that started later contains everything that this one has.
            guard let readLater = state.overridesReads.takeAll(number) else {
                return (before, [OverridesOwner](), [String](), false)
            }
            let deletedDuringRead = state.deletedVersions.filter { $1 > knownDeletions[$0] ?? -1 }
            let appliedDuringRead = state.projectDetails.filter { name, details in
                details.revision > knownDetails[name]?.revision ?? .zero
            }
            state.projects = projects
            state.projectDetails = snapshot.projectDetails
            state.deletedVersions = snapshot.deletedVersions
            let isRaised = snapshot.versionFloor > state.versionFloor
            state.versionFloor = max(snapshot.versionFloor, state.versionFloor)
            for (name, version) in deletedDuringRead {
                _ = state.remove(project: name, upTo: version)
            }
            state.projectDetails.merge(appliedDuringRead) {
                $0.revision > $1.revision ? $0 : $1
            }
            for (name, later) in before {
                let number = later.compiled.version.number
                guard number > known[name] ?? -1, state.isNews(number, ofProject: name) else {
                    continue
                }
                let isAnother = deletedDuringRead.keys.contains(name)
                // Pinned values that changed during the read follow as changes after the
                // snapshot's revision.
                state.projects[name] = later.settingAllOverrides(
                    isAnother ? [:] : overrides[name] ?? [:])
            }
            // A read of one user's values that ended after this load began may be newer than the
            // snapshot: keep its values until they are read again below.
            for owner in readLater {
                guard let project = before[owner.project],
                    project.compiled.version.number > state.deletedVersions[owner.project] ?? -1
                else { continue }
                state.projects[owner.project] = state.projects[owner.project]?.settingOverrides(
                    project.overrides[owner.userID], forUserID: owner.userID.text)
            }
            state.revision = snapshot.revision
            state.isLoaded = true
            state.snapshotDate = nil
            for (name, project) in state.projects {
                metrics.setVersion(project.compiled.version.number, ofProject: name)
            }
            for name in before.keys where state.projects[name] == nil {
                metrics.removeVersion(ofProject: name)
            }
            // Compares versions, since a new project can have the name of the deleted one.
            let deleted = before.filter { name, known in
                state.projects[name] == nil
                    || known.compiled.version.number <= state.deletedVersions[name] ?? -1
            }
            return (before, readLater, Array(deleted.keys), isRaised)
        }
        // Outside the lock, since what is notified reads the library. Deletions come first: streams
        // of a deleted project must end before a new one of that name is announced.
        for name in deleted { announceDeletion(ofProject: name) }
        earlierOverrides.expectChanges(inProjects: versions.keys)
        if isRaised { notify(.versionFloor) }
        notify(.everything)
        // Clients that resume at the same version receive no other notification of changed pinned
        // values.
        for (name, project) in before {
            notifyOverrides(changedFrom: project, inProject: name)
        }
        // The snapshot may be newer than these values, or may contain a project that is new to this
        // process.
        for owner in readLater {
            try await readOverrides(ofUser: owner.userID.text, inProject: owner.project)
        }
    }
}
