import Foundation
package import Rendering
package import Targeting
import TemplateStore
import Templates

extension TemplateLibrary: DocumentSource {
    package func document(
        inProject project: String, forUserID userID: String?, signals: Signals
    ) throws -> RenderedDocument? {
        guard let project = try loadedProject(project) else { return nil }
        let outcome = project.rendered(
            for: TargetingContext(userID: userID, signals: signals, date: Date()))
        metrics.countEvaluation(wasCached: outcome.wasCached)
        return outcome.document
    }

    package func identity(
        inProject project: String, forUserID userID: String?, signals: Signals
    ) throws -> DocumentIdentity? {
        guard let project = try loadedProject(project) else { return nil }
        let context = TargetingContext(userID: userID, signals: signals, date: Date())
        let (entityTag, wasCached) = project.entityTag(
            for: project.basis(for: context), userID: userID)
        metrics.countEvaluation(wasCached: wasCached)
        return DocumentIdentity(
            entityTag: entityTag, version: project.compiled.version.number)
    }

    private func loadedProject(_ name: String) throws -> PublishedProject? {
        if let project = project(name) { return project }
        if isLoaded { return nil }
        throw TemplateStoreError(.unavailable, "The templates are not read yet.")
    }

    package func checkReadiness() async throws {
        guard isLoaded else {
            throw TemplateStoreError(.unavailable, "The templates are not read yet.")
        }
        try await store.checkReadiness()
    }
}
