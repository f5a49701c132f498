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

    /// Forgets a deleted project; its clients are notified.
    package func remove(project name: String) {
        let wasKnown = state.withLockedValue { state in
            state.projectDetails[name] = nil
            state.unreadable[name] = nil
            state.prepared[name] = nil
            // Under the lock, like the version of a project that is applied.
            metrics.removeVersion(ofProject: name)
            return state.projects.removeValue(forKey: name) != nil
        }
        if wasKnown { announceDeletion(ofProject: name) }
    }

    /// Makes everything forget a deleted project that is kept in memory by its name.
    func announceDeletion(ofProject name: String) {
        earlierOverrides.forget(project: name)
        notify(.deletion(name))
    }

    /// Reads a project that was created or deleted from the store.
    ///
    /// The project may have changed again; the changes that follow have the same result.
    func readProject(_ name: String) async throws(TemplateStoreError) {
        guard let template = try await store.template(version: nil, inProject: name) else {
            remove(project: name)
            return
        }
        let isAnother = state.withLockedValue { state in
            // An older version may be that of a deleted project, whose pinned values and details
            // are not those of the new one; the changes that follow have these.
            guard let known = state.projects[name],
                known.compiled.version.number < template.version.number
            else { return false }
            state.projects[name] = known.settingAllOverrides([:])
            state.projectDetails[name] = nil
            return true
        }
        if isAnother { announceDeletion(ofProject: name) }
        apply(template)
        if let details = try await store.projectDetails(ofProject: name) {
            apply(details, project: name)
        }
    }
}
