import ActiveConfig
import Foundation
import NIOConcurrencyHelpers
import Rendering

/// Compiles each template that arrives or is read from the file, refuses those that this program
/// cannot evaluate, and has the active one.
final class TemplateVetting: ConfigurationVetting {
    private struct State {
        var active: LoadedTemplate?
        var refusal: EvaluationStatus.Refusal?
        /// The last accepted document, compiled, so that its activation does not compile it again.
        var accepted: (document: ConfigurationState, template: LoadedTemplate)?
        var lastActivation = 0
    }

    private let state = NIOLockedValueBox(State())
    private let config: ActiveConfig
    private let cacheBytes: Int

    /// `config` belongs to the answers of the templates.
    init(config: ActiveConfig, cacheBytes: Int) {
        (self.config, self.cacheBytes) = (config, cacheBytes)
    }

    /// The active template; nil while there is none.
    var active: LoadedTemplate? { state.withLockedValue { $0.active } }

    var refusal: EvaluationStatus.Refusal? { state.withLockedValue { $0.refusal } }

    func vet(_ candidate: ConfigurationCandidate) -> VettingVerdict {
        let document = candidate.document
        if [.confirmed, .superseded].contains(candidate.origin) { return .accept }
        do throws(EvaluationDocumentError) {
            let template = try template(in: document)
            state.withLockedValue { state in
                state.accepted = (document, template)
                // A stored template does not end the refusal of a later one.
                if candidate.origin != .stored { state.refusal = nil }
            }
            return .accept
        } catch {
            let refusal = EvaluationStatus.Refusal(
                templateVersion: document.templateVersion, reason: error.description,
                time: candidate.time)
            state.withLockedValue { $0.refusal = refusal }
            return .refuse(ConfigurationRefusal("The template is not used: \(error)"))
        }
    }

    func didActivate(_ activation: ConfigurationActivation, number: Int) {
        guard let document = activation.document, document[EvaluationDocument.sectionName] != nil,
            let template = try? template(in: document)
        else { return }
        state.withLockedValue { state in
            guard number > state.lastActivation else { return }
            state.lastActivation = number
            state.active = template
        }
    }

    private func template(
        in document: ConfigurationState
    ) throws(EvaluationDocumentError) -> LoadedTemplate {
        let accepted = state.withLockedValue { $0.accepted }
        if let accepted, accepted.document == document { return accepted.template }
        // Nothing is kept as text.
        let project = try EvaluationDocument.project(
            in: document, cache: RenderCache(maximumBytes: 0))
        return LoadedTemplate(project, of: config, cacheBytes: cacheBytes)
    }
}
