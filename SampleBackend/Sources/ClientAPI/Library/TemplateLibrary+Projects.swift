import NIOConcurrencyHelpers
import Rendering
package import TemplateStore
import Templates

// Projects that are created and deleted.
extension TemplateLibrary {
    /// Applies a project that was created, with its first details.
    package func apply(created template: StoredTemplate, details: ProjectDetails) {
        apply(template)
        apply(
            StoredProjectDetails(details, revision: template.revision), project: template.project)
    }

    /// Forgets a deleted project, whose last version is given; its clients are notified.
    ///
    /// Versions are never used again, so this keeps a project that was created with the name after
    /// the deletion, and ignores a version up to this one that arrives later.
    package func remove(project name: String, upTo version: Int) {
        let wasKnown = state.withLockedValue { state in
            let wasKnown = state.remove(project: name, upTo: version)
            // Under the lock, like the version of a project that is applied.
            if state.projects[name] == nil { metrics.removeVersion(ofProject: name) }
            return wasKnown
        }
        if wasKnown { announceDeletion(ofProject: name) }
    }

    /// Makes everything forget a deleted project that is kept in memory by its name.
    func announceDeletion(ofProject name: String) {
        earlierOverrides.forget(project: name)
        notify(.deletion(name))
    }

    /// Reads a project that was created or deleted at a revision from the store.
    ///
    /// The project may have changed again; the changes that follow have the same result. They also
    /// bring the pinned values of a new project.
    func readProject(_ name: String, at revision: StoreRevision) async throws(TemplateStoreError) {
        if let template = try await store.template(version: nil, inProject: name) {
            let details = try await store.projectDetails(ofProject: name)
            apply(template) { state in
                state.forgetDetails(ofProject: name, before: revision)
                if let details { state.apply(details, project: name) }
            }
        } else if let version = try await store.deletedVersion(ofProject: name) {
            state.withLockedValue { $0.forgetDetails(ofProject: name, before: revision) }
            remove(project: name, upTo: version)
        }
    }
}

extension TemplateLibrary.State {
    /// False when a version is not newer than the known one, or is of a deleted project.
    func isNews(_ version: Int, ofProject name: String) -> Bool {
        let known = projects[name]?.compiled.version.number ?? -1
        return version > max(known, deletedVersions[name] ?? -1)
    }

    /// Removes everything of a deleted project, whose last version is given; true if the project
    /// was known.
    mutating func remove(project name: String, upTo version: Int?) -> Bool {
        guard let version, version > deletedVersions[name] ?? -1 else { return false }
        deletedVersions[name] = version
        prepared[name] = nil
        if let number = unreadable[name]?.number, number <= version { unreadable[name] = nil }
        if let known = projects[name], known.compiled.version.number > version { return false }
        projectDetails[name] = nil
        return projects.removeValue(forKey: name) != nil
    }

    /// Applies the details of a project unless they are stale.
    ///
    /// Older revisions are known already, or belong to a deleted project.
    mutating func apply(_ details: StoredProjectDetails, project name: String) {
        guard details.revision > max(revision, projectDetails[name]?.revision ?? .zero) else {
            return
        }
        projectDetails[name] = details
    }

    /// Removes the details of a project that precede its creation or deletion.
    mutating func forgetDetails(ofProject name: String, before revision: StoreRevision) {
        if let known = projectDetails[name], known.revision < revision {
            projectDetails[name] = nil
        }
    }
}
