import ClientAPI
import Foundation
import HTTPServing
import JSONTree
import TemplateStore
import Templates

/// The current version without what the start of a schedule has changed and is still so.
struct ScheduledUndo: Sendable {
    let live: StoredTemplate
    let template: RemoteConfigTemplate

    /// The paths of what stays, since it was changed after the start.
    let kept: [String]

    /// False when nothing is left to take back.
    let changesLive: Bool

    /// Maximum number of stored paths.
    private static let mostPlaces = 50

    /// The paths that are stored.
    var listedKept: [String] {
        kept.prefix(Self.mostPlaces).map { String($0.unicodeScalars.prefix(200)) }
    }
}

extension Administration {
    /// Compares the start of a schedule with the current version.
    func undoOfStart(of stored: StoredChangeRequest) async throws -> ScheduledUndo {
        let started = try await template(
            version: stored.request.schedule?.startOutcome?.version, inProject: stored.project)
        let live = try await template(inProject: stored.project)
        let current = try live.validated().template
        let undo = PartialUndo(
            of: try started.validated().template,
            to: try RemoteConfigTemplate(stored: try await content(before: started)), in: current)
        return ScheduledUndo(
            live: live, template: undo.template, kept: undo.kept,
            changesLive: undo.template.json().jsonData() != current.json().jsonData())
    }

    /// Publishes such an undo.
    func publishUndo(
        _ undo: ScheduledUndo, of stored: StoredChangeRequest, describedAs description: String,
        by user: TemplateVersion.User, origin: TemplateVersion.Origin, approval: PublishApproval
    ) async throws {
        let validated: ValidatedTemplate
        do {
            validated = try ValidatedTemplate(merged: undo.template.json())
        } catch {
            throw RequestError.invalidTemplate(error)
        }
        _ = try await publish(
            CheckedTemplate(
                validated: validated,
                submission: TemplateSubmission(
                    project: stored.project, content: undo.template.json().jsonData(),
                    expectation: .version(undo.live.version.number), date: now(), user: user,
                    description: description, origin: origin, updateType: .undo,
                    sourceVersion: stored.request.schedule?.startOutcome?.version,
                    approval: approval)))
    }
}
