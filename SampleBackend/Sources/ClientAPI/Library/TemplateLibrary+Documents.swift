import Foundation
import HTTPServing
import NIOConcurrencyHelpers
package import Rendering
package import Targeting
import TemplateStore
import Templates

extension TemplateLibrary: DocumentSource {
    package func document(
        inProject project: String, forUserID userID: String?, signals: Signals
    ) throws -> RenderedDocument? {
        guard let project = try loadedProject(project) else { return nil }
        guard project.compiled.admits(userID: userID) else { throw RequestError.userIDTooLong }
        let outcome = project.rendered(
            for: TargetingContext(userID: userID, signals: signals, date: Date()))
        metrics.countEvaluation(wasCached: outcome.wasCached)
        return outcome.document
    }

    package func identity(
        inProject project: String, forUserID userID: String?, signals: Signals
    ) throws -> DocumentIdentity? {
        guard let project = try loadedProject(project) else { return nil }
        guard project.compiled.admits(userID: userID) else { throw RequestError.userIDTooLong }
        let context = TargetingContext(userID: userID, signals: signals, date: Date())
        let (entityTag, wasCached) = project.entityTag(
            for: project.basis(for: context), userID: userID)
        metrics.countEvaluation(wasCached: wasCached)
        return DocumentIdentity(
            entityTag: entityTag, version: project.compiled.version.number)
    }

    package func stamp(ofProject project: String) -> DocumentStamp? {
        state.withLockedValue { $0.projects[project]?.stamp }
    }

    package func isCurrent(_ stamp: DocumentStamp, ofProject project: String) -> Bool {
        let isCurrent = stamp === self.stamp(ofProject: project)
        if isCurrent { metrics.countEvaluation(wasCached: true) }
        return isCurrent
    }

    private func loadedProject(_ name: String) throws -> PublishedProject? {
        if let project = project(name) { return project }
        if unreadableVersion(ofProject: name) != nil { throw RequestError.unreadableVersion }
        if isLoaded { return nil }
        throw TemplateStoreError(.unavailable, "The templates have not been loaded yet.")
    }

    package func checkReadiness() throws {
        guard isLoaded else {
            throw TemplateStoreError(.unavailable, "The templates have not been loaded yet.")
        }
    }
}

extension RequestError {
    /// The message for a user ID that is too long for the number of places in which the template
    /// inserts it.
    static let userIDTooLongMessage =
        "The user ID is too long for this project, whose settings contain it many times: send a "
        + "shorter one."

    /// 400: the document would contain a long user ID too many times.
    static let userIDTooLong = RequestError.invalidArgument(userIDTooLongMessage)
}
