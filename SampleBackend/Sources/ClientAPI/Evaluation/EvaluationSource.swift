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
            self?.state.withLockedValue { $0.written[project] = nil }
        }
    }

    /// The document of a project; nil when there is no such project.
    ///
    /// User and signals do not matter. Written once per version and change of pinned values.
    func document(
        inProject name: String, forUserID userID: String?, signals: Signals
    ) throws -> RenderedDocument? {
        guard let project = library.project(name) else {
            if library.unreadableVersion(ofProject: name) != nil {
                throw RequestError.unreadableVersion
            }
            try library.checkReadiness()
            return nil
        }
        if let known = state.withLockedValue({ $0.written[name] }),
            known.project.compiled === project.compiled,
            known.project.overrides == project.overrides
        {
            return known.document
        }
        let document = EvaluationDocument.rendered(project)
        state.withLockedValue { state in
            state.written[name] = Written(project: project, document: document)
        }
        return document
    }

    func checkReadiness() throws { try library.checkReadiness() }
}
