import Foundation
import HTTPServing
import NIOConcurrencyHelpers
import Rendering
import Targeting
import Templates

/// The documents with which services evaluate users themselves, one per project.
final class EvaluationSource: DocumentSource {
    /// A written document, and what it was written from.
    private struct Written: Sendable {
        let project: PublishedProject
        let document: RenderedDocument
    }

    private struct State: Sendable {
        var written: [String: Written] = [:]  // names: names of projects are ASCII
    }

    private let library: TemplateLibrary
    private let state = NIOLockedValueBox(State())

    init(library: TemplateLibrary) {
        self.library = library
        library.observe { [weak self] change in
            guard case .deletion(let project) = change else { return }
            self?.remove(project)
        }
    }

    /// The document of a project; nil when there is no such project.
    ///
    /// User and signals do not matter. Called on the thread ``WorkThreads/evaluation``, so it is written
    /// once per version and change of pinned values, for all who wait.
    func document(
        inProject name: String, forUserID userID: String?, signals: Signals
    ) throws -> RenderedDocument? {
        guard let project = library.project(name) else {
            remove(name)
            if library.unreadableVersion(ofProject: name) != nil {
                throw RequestError.unreadableVersion
            }
            try library.checkReadiness()
            return nil
        }
        if let known = current(project, named: name) { return known }
        let document = EvaluationDocument.rendered(project)
        _ = state.withLockedValue { state in
            state.written.updateValue(
                Written(project: project, document: document), forKey: name)
        }
        // A deletion between the look-up and the update has removed nothing.
        if library.project(name) == nil { remove(name) }
        return document
    }

    /// The last document that was written of a project, which may be behind the library; nil while
    /// there is none.
    func written(_ name: String) -> RenderedDocument? {
        state.withLockedValue { $0.written[name]?.document }
    }

    /// Indicates whether ``document(inProject:forUserID:signals:)`` answers without writing a document.
    func isWritten(_ name: String) -> Bool {
        guard let project = library.project(name) else { return written(name) == nil }
        return current(project, named: name) != nil
    }

    private func current(_ project: PublishedProject, named name: String) -> RenderedDocument? {
        guard let known = state.withLockedValue({ $0.written[name] }),
            known.project.compiled === project.compiled,
            known.project.overrides == project.overrides
        else { return nil }
        return known.document
    }

    private func remove(_ name: String) {
        _ = state.withLockedValue { $0.written.removeValue(forKey: name) }
    }

    var snapshotDate: Date? { library.snapshotDate }

    func checkReadiness() throws { try library.checkReadiness() }
}
