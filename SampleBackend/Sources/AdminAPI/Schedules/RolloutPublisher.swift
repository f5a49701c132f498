import ClientAPI
import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import Targeting
import TemplateStore
import Templates
import WebhookDelivery

/// Takes the steps of rollouts when they are due, as long as apps report no problems and no webhook
/// refuses, and holds them or takes them back otherwise.
struct RolloutPublisher: Sendable {
    let administration: Administration
    let inquiry: WebhookInquiry

    /// Decides about a step that is due.
    ///
    /// - Parameters:
    ///   - started: The rollout.
    ///   - restoreDate: When the store was last restored; nil for never.
    ///   - right: The right of who has scheduled it.
    /// - Throws: A ``RequestError``; the next call tries again.
    func perform(
        _ started: StartedRollout, restoredAt restoreDate: Date?,
        right: AdministratorAccess.SchedulingRight
    ) async throws {
        guard let due = started.stored.dueDate else { return }
        if started.rollout.state == .held {
            return try await end(started, because: "Nobody has resumed it for 60 days.")
        }
        let date = administration.now()
        if date < due { return }
        let reports = try await administration.reports(of: started)
        // Reports that were lost delay the step.
        let action = DueAction(
            due: restoreDate == nil ? max(due, reports.waitDate ?? due) : due, at: date,
            restoredAt: restoreDate)
        switch right {
        case .granted: break
        // Another server may know.
        case .unknown:
            if case .miss(let reason) = action { try await hold(started, because: reason) }
            return
        case .refused:
            let name = started.schedule.scheduler.shownName
            return try await hold(
                started, because: "\(name) may no longer publish in this project.")
        }
        if case .miss(let reason) = action {
            // A restore says so itself.
            let cause =
                reports.result == .waiting
                ? reports.text
                : restoreDate == nil
                    ? "It could not be taken within an hour of its time: no server ran, the "
                        + "project was archived, or a webhook did not answer." : reason
            return try await hold(started, because: cause)
        }
        if !started.rollout.ignoresReports {
            switch reports.result {
            case .good: break
            // The next look asks again.
            case .waiting: return
            case .worse: return try await react(to: reports, on: started)
            }
        }
        guard started.rollout.nextBound != nil else { return try await end(started) }
        guard try await isAllowed(started, reports) else { return }
        try await holdingOnConflict(started) {
            try await administration.retryingOverNewerVersions {
                try await administration.publishNextStep(of: started, by: started.publish)
            }
        }
    }

    /// Looks at a rollout between two steps.
    ///
    /// - Parameters:
    ///   - started: The rollout.
    ///   - right: The right of who has scheduled it, in whose name it is taken back.
    /// - Returns: False when nothing is to be seen before it changes.
    /// - Throws: A ``RequestError``; the next look tries again.
    func watch(
        _ started: StartedRollout, right: AdministratorAccess.SchedulingRight
    ) async throws -> Bool {
        let plan = started.rollout.plan
        guard started.rollout.state == .running, !started.rollout.ignoresReports,
            plan.maximumProblemPercent != nil || plan.maximumLostStreamPercent != nil
        else { return false }
        let reports = try await administration.reports(of: started)
        guard reports.result == .worse else { return true }
        switch right {
        case .granted: try await react(to: reports, on: started)
        case .refused: try await hold(started, because: reports.text)
        // Another server may know.
        case .unknown: break
        }
        return true
    }

    /// Holds a rollout, or takes it back, as its plan says.
    private func react(to reports: RolloutReports, on started: StartedRollout) async throws {
        guard started.rollout.plan.response == .takeBack else {
            return try await hold(started, because: reports.text)
        }
        try await holdingOnConflict(started, after: reports.text) {
            try await administration.retryingOverNewerVersions {
                try await administration.takeBack(
                    started, because: reports.text, by: started.publish)
            }
        }
    }

    /// True when all webhooks that are to be asked consent; holds the rollout when one refuses.
    private func isAllowed(
        _ started: StartedRollout, _ reports: RolloutReports
    ) async throws -> Bool {
        let project = started.stored.project
        let webhooks = try await administration.callStore("webhooks", project: project) {
            () throws(TemplateStoreError) in
            try await administration.store.webhooks(inProject: project)
        }.filter { $0.topics.contains(.rolloutStep) }
        let question = started.question(reports)
        // The same on every server and for each attempt; after a resumption it is another question.
        let id = "\(started.stored.id)-\(started.stored.tag)"
        let answers = await withTaskGroup(
            of: (webhook: StoredWebhook, answer: WebhookInquiry.Answer).self
        ) { group in
            for webhook in webhooks {
                group.addTask { (webhook, await inquiry.ask(webhook, question, id: id)) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for case (let webhook, .refusal(let reason)) in answers {
            let text = reason.map { ": \($0)" } ?? "."
            // A path can be a secret.
            let host = (try? WebhookAddress(webhook.url))?.host ?? webhook.id
            try await hold(started, because: "The webhook at \(host) refuses\(text)")
            return false
        }
        // Nothing is published without an answer; a step that is late is held.
        return answers.allSatisfy { $0.answer == .consent }
    }

    /// Holds a rollout when the percentage cannot be published.
    ///
    /// - Parameters:
    ///   - started: The rollout.
    ///   - cause: Why it was to be published; nil for a step.
    ///   - publish: The publish.
    /// - Throws: An error that the next look can be without.
    private func holdingOnConflict(
        _ started: StartedRollout, after cause: String? = nil, publish: () async throws -> Void
    ) async throws {
        do {
            try await publish()
        } catch {
            guard let refusal = error as? RequestError, refusal.httpStatus.code < 500 else {
                throw error
            }
            switch refusal.statusName {
            // Somebody else changed the request, which wakes the next call.
            case "CHANGE_REQUEST_MISMATCH", "CHANGE_REQUEST_ENDED": return
            // Somebody else published: it is tried again soon.
            case "PROJECT_ARCHIVED", "VERSION_MISMATCH": throw error
            default:
                let reasons = [cause, refusal.message].compactMap(\.self)
                try await hold(started, because: reasons.joined(separator: " "))
            }
        }
    }

    private func hold(_ started: StartedRollout, because reason: String) async throws {
        let date = administration.now()
        try await change(started, .holdRollout, detail: reason) {
            $0.hold(
                at: date,
                because: String(reason.unicodeScalars.prefix(Rollout.maximumReasonLength)))
        }
    }

    private func end(_ started: StartedRollout, because reason: String? = nil) async throws {
        let date = administration.now()
        try await change(started, .endRollout, detail: reason) {
            $0.end(at: date, because: reason)
        }
    }

    private func change(
        _ started: StartedRollout, _ action: AuditEntry.Action, detail: String?,
        _ change: (inout Rollout) -> Void
    ) async throws {
        do {
            _ = try await administration.saveRollout(
                started, action, detail: detail, by: nil, change)
        } catch {
            // When somebody else changed the request, the next call looks again.
            guard let error = error as? RequestError,
                error.statusName == "CHANGE_REQUEST_MISMATCH"
            else { throw error }
        }
    }
}

extension Administration {
    /// Stores a change of a rollout that has started; of the server itself without a participant.
    func saveRollout(
        _ started: StartedRollout, _ action: AuditEntry.Action, detail: String?,
        by participant: ChangeRequest.Participant?, _ change: (inout Rollout) -> Void
    ) async throws -> ReviewedChangeRequest {
        var changed = started.stored.request
        var rollout = started.rollout
        change(&rollout)
        changed.schedule?.rollout = rollout
        var submission = submission(
            of: changed, over: started.stored, action,
            by: participant ?? .init(person: nil, actor: ""))
        submission.detail = detail
        return try await save(submission, over: started.stored)
    }
}

extension StartedRollout {
    /// The publishes of the server, in the name of who has scheduled it.
    fileprivate var publish: RolloutPublish {
        RolloutPublish(
            user: TemplateVersion.User(name: schedule.scheduler.actor), origin: .schedule,
            approval: PublishApproval(person: schedule.scheduler.person))
    }

    /// The body of the question to webhooks.
    fileprivate func question(_ reports: RolloutReports) -> JSONNode {
        var node: JSONNode = [
            "event": .string(WebhookEvent.Topic.rolloutStep.rawValue),
            "project": .string(stored.project),
            "changeRequest": [
                "id": .string(stored.id), "title": .string(stored.request.title),
            ],
            "condition": .string(rollout.plan.condition),
            "percent": .number(Percentile.percentText(rollout.plan.bounds[place])),
            "reports": reports.json,
        ]
        node.setMember("nextPercent", rollout.nextBound.map { .number(Percentile.percentText($0)) })
        node.setMember(
            "versionNumber", rollout.steps.last.map { .string("\($0.version)") })
        return node
    }
}
