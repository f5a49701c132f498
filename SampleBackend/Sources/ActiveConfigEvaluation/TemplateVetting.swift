import ActiveConfig
import Foundation
import JSONTree
import NIOConcurrencyHelpers
import Rendering

/// Compiles each template that arrives or is read from the file, refuses those that this program
/// cannot evaluate, and has the active one.
final class TemplateVetting: ConfigurationVetting {
    private struct State {
        var active: LoadedTemplate?
        var refusal: EvaluationStatus.Refusal?
        /// The last accepted document, compiled, so that neither its activation nor a change of pinned
        /// values compiles its template again.
        var accepted: (document: ConfigurationState, template: LoadedTemplate)?
        var lastActivation = 0
    }

    private let state = NIOLockedValueBox(State())
    private let config: ActiveConfig
    private let cacheBytes: Int
    private let defaults: Set<ExactText>

    /// `config` belongs to the answers of the templates; `defaults` names the sections with in-app
    /// defaults.
    init(config: ActiveConfig, cacheBytes: Int, defaults: Set<ExactText> = []) {
        (self.config, self.cacheBytes, self.defaults) = (config, cacheBytes, defaults)
    }

    /// The active template; nil while there is none.
    var active: LoadedTemplate? { state.withLockedValue { $0.active } }

    var refusal: EvaluationStatus.Refusal? { state.withLockedValue { $0.refusal } }

    func vet(_ candidate: ConfigurationCandidate) -> VettingVerdict {
        let document = candidate.document
        if [.confirmed, .superseded].contains(candidate.origin) { return .accept }
        do throws(EvaluationDocumentError) {
            let template = try template(in: document)
            // Returns the previous template, so that it is not freed while the lock is held.
            _ = state.withLockedValue { state in
                let previous = state.accepted
                state.accepted = (document, template)
                // A stored template does not end the refusal of a later one.
                if candidate.origin != .stored { state.refusal = nil }
                return previous
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
        _ = state.withLockedValue { state -> LoadedTemplate? in
            guard number > state.lastActivation else { return nil }
            let previous = state.active
            state.lastActivation = number
            state.active = template
            return previous
        }
    }

    private func template(
        in document: ConfigurationState
    ) throws(EvaluationDocumentError) -> LoadedTemplate {
        let accepted = state.withLockedValue { $0.accepted }
        if let accepted {
            if accepted.document == document { return accepted.template }
            if EvaluationDocument.hasSameTemplate(document, as: accepted.document) {
                return LoadedTemplate(
                    accepted.template, overrides: try EvaluationDocument.overrides(in: document))
            }
        }
        // Nothing is kept as text.
        let project = try EvaluationDocument.project(
            in: document, cache: RenderCache(maximumBytes: 0))
        return LoadedTemplate(project, of: config, cacheBytes: cacheBytes, defaults: defaults)
    }
}
