import ClientAPI
import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import Targeting
import TemplateStore
import Templates

/// A rollout that has started, with the request of which it is a part.
struct StartedRollout: Sendable {
    let stored: StoredChangeRequest
    let schedule: ScheduledPublish
    let rollout: Rollout

    /// The place of the published percentage in the plan.
    let place: Int

    /// Nil unless it runs or is held.
    init?(_ stored: StoredChangeRequest) {
        guard stored.dueDate != nil, let schedule = stored.request.schedule,
            schedule.waitingPart == .step, let rollout = schedule.rollout,
            let place = rollout.place
        else { return nil }
        (self.stored, self.schedule, self.rollout) = (stored, schedule, rollout)
        self.place = place
    }
}

/// Who publishes a percentage, how, and on what grounds.
struct RolloutPublish: Sendable {
    let user: TemplateVersion.User
    let origin: TemplateVersion.Origin
    let approval: PublishApproval
}

// Publishes of rollouts.
extension Administration {
    /// Publishes the next percentage.
    ///
    /// - Throws: A ``RequestError``; with status 409 when the condition is not as the rollout has set
    ///   it.
    func publishNextStep(of started: StartedRollout, by publish: RolloutPublish) async throws {
        guard let bound = started.rollout.nextBound else { return }
        try await self.publish(started, bound: bound, as: .rolloutStep, by: publish)
    }

    /// Publishes the percentage before the present one; from the first one, takes back all that the
    /// start has changed and that is still so.
    func takeBack(
        _ started: StartedRollout, because reason: String?, by publish: RolloutPublish
    ) async throws {
        let reason = reason.map { String($0.unicodeScalars.prefix(Rollout.maximumReasonLength)) }
        if started.place > 0 {
            let occasion = ChangeRequestReference.Occasion.rolloutTakenBack(
                reason: reason, kept: [])
            let bound = started.rollout.plan.bounds[started.place - 1]
            return try await self.publish(started, bound: bound, as: occasion, by: publish)
        }
        let undo = try await undoOfStart(of: started.stored)
        guard undo.changesLive else {
            let kept = undo.kept.prefix(3).joined(separator: ", ")
            throw RequestError.rolloutChanged(
                kept.isEmpty
                    ? "Nothing of the rollout is left to take back."
                    : "What the rollout has published was changed since: \(kept).")
        }
        var approval = publish.approval
        approval.changeRequest = ChangeRequestReference(
            id: started.stored.id, tag: started.stored.tag,
            occasion: .rolloutTakenBack(reason: reason, kept: undo.listedKept))
        let text = ["\(started.stored.request.title): taken back", reason].compactMap { $0 }
        try await publishUndo(
            undo, of: started.stored, describedAs: text.joined(separator: ": "),
            by: publish.user, origin: publish.origin, approval: approval)
    }

    private func publish(
        _ started: StartedRollout, bound: Int, as occasion: ChangeRequestReference.Occasion,
        by publish: RolloutPublish
    ) async throws {
        let (stored, plan) = (started.stored, started.rollout.plan)
        guard let contents = stored.contents else { throw RequestError.storeUnavailable }
        let live = try await template(inProject: stored.project)
        let changed: RemoteConfigTemplate?
        do {
            changed = try TemplateRollout(
                plan.condition, in: try RemoteConfigTemplate(stored: contents.edited)
            ).template(
                try live.validated().template, from: plan.bounds[started.place], to: bound)
        } catch let error as TemplateRolloutError {
            throw RequestError.rolloutChanged(error.message)
        }
        guard let changed else {
            throw RequestError.rolloutChanged(
                "The condition \"\(plan.condition.shortened)\" is not as the rollout has set it: it was "
                    + "edited or removed since.")
        }
        let validated: ValidatedTemplate
        do {
            validated = try ValidatedTemplate(merged: changed.json())
        } catch {
            throw RequestError.invalidTemplate(error)
        }
        var approval = publish.approval
        approval.changeRequest = ChangeRequestReference(
            id: stored.id, tag: stored.tag, occasion: occasion,
            reports: try await reportsNow(of: stored))
        var text = ["\(stored.request.title): \(Percentile.percentText(bound)) %"]
        if case .rolloutTakenBack(let reason, _) = occasion {
            text = ["\(text[0]) again"] + (reason.map { [$0] } ?? [])
        }
        _ = try await self.publish(
            CheckedTemplate(
                validated: validated,
                submission: TemplateSubmission(
                    project: stored.project, content: validated.json.jsonData(),
                    expectation: .version(live.version.number), date: now(), user: publish.user,
                    description: text.joined(separator: ": "), origin: publish.origin,
                    approval: approval)))
    }
}

extension Rollout {
    /// Maximum length of a stored reason, in Unicode scalars.
    static let maximumReasonLength = 1_000
}

extension RequestError {
    /// 409: the percentage cannot be changed, since others have changed the template.
    fileprivate static func rolloutChanged(_ message: String) -> RequestError {
        RequestError(
            httpStatus: .conflict, statusName: "ROLLOUT_CONFLICT",
            message: "\(message) Edit the template, and stop the rollout.")
    }
}
