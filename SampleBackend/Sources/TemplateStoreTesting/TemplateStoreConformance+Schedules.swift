import Foundation
import TemplateStore
import Templates

extension TemplateStoreConformance {
    /// The checks of change requests that are published at a time.
    public static var scheduleChecks: [Check] {
        [
            Check("waitingRequestsAreListed", Self.waitingRequestsAreListed),
            Check("waitingRequestsDoNotExpire", Self.waitingRequestsDoNotExpire),
            Check("aScheduleIsPublishedOnce", Self.aScheduleIsPublishedOnce),
            Check("theStepsOfARolloutArePublished", Self.theStepsOfARolloutArePublished),
            Check("theEndOfAScheduleIsPublished", Self.theEndOfAScheduleIsPublished),
            Check("aPublishByHandEndsASchedule", Self.aPublishByHandEndsASchedule),
        ]
    }

    /// The requests of all projects that wait are listed by time, and no others.
    public func waitingRequestsAreListed() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            try await trial.publish(inProject: "other")
            let rule = "Waiting requests are listed by time."
            var saved: [String: StoredChangeRequest] = [:]  // names: written here
            for (id, seconds) in [("late", 300.0), ("é", 100), ("cancelled", 50), ("closed", 60)] {
                saved[id] = try await trial.save(
                    trial.scheduled(after: seconds), id: id, action: .schedulePublish)
            }
            try await trial.save(StoreTrial.changeRequest(), id: "never")
            var other = StoreTrial.changeRequestSubmission(
                trial.scheduled(after: 200), id: "1", edited: "{}", expecting: .absent)
            other.project = "other"
            _ = try await trial.store.saveChangeRequest(other)
            if let stored = saved["cancelled"] {
                var request = stored.request
                request.schedule?.end(.start, with: .init(.cancelled, date: StoreTrial.date))
                let cancelled = try await trial.save(
                    request, id: stored.id, edited: nil, expecting: .tag(stored.tag),
                    action: .cancelScheduledPublish)
                try trial.expect(cancelled.dueDate, is: nil, rule)
                try trial.expect(cancelled.scheduledDate, is: StoreTrial.date + 50, rule)
            }
            if let stored = saved["closed"] {
                var request = stored.request
                request.ending = .init(participant: request.author, date: StoreTrial.date)
                try await trial.save(
                    request, id: stored.id, edited: nil, expecting: .tag(stored.tag),
                    action: .closeChangeRequest)
            }
            let listed = try await trial.reopen().scheduledChangeRequests(date: StoreTrial.date)
            try trial.expect(listed.map(\.id), is: ["é", "1", "late"], rule)
            try trial.expect(
                listed.map(\.dueDate), is: [100.0, 200, 300].map { StoreTrial.date + $0 }, rule)
            _ = try await trial.store.setProjectDetails(
                StoreTrial.detailsChange(ProjectDetails(isArchived: true)))
            try await trial.store.deleteProject(
                ProjectDeletion(
                    project: StoreTrial.project, date: StoreTrial.date, actor: "root"))
            let left = try await trial.reopen().scheduledChangeRequests(date: StoreTrial.date)
            try trial.expect(left.map(\.id), is: ["1"], "A deleted project schedules nothing.")
        }
    }

    /// A request does not expire before its time, however far ahead that is.
    public func waitingRequestsDoNotExpire() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let day = 86_400.0
            try await trial.save(
                trial.scheduled(after: 200 * day), action: .schedulePublish)
            for days in [100.0, 199, 289] {
                let date = StoreTrial.date + days * day
                try await trial.store.removeExpiredChangeRequests(at: date)
                let found = try await trial.reopen().changeRequest(
                    id: "1", inProject: StoreTrial.project, date: date)
                try trial.expect(found?.state, is: .open, "A waiting request does not expire.")
            }
            let found = try await trial.store.changeRequest(
                id: "1", inProject: StoreTrial.project, date: StoreTrial.date + 291 * day)
            try trial.expect(found?.state, is: .expired, "It expires 90 days after its time.")
        }
    }

    /// At its time a schedule publishes once, in the transaction that stores the version.
    public func aScheduleIsPublishedOnce() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let open = try await trial.save(
                trial.scheduled(after: 60), action: .schedulePublish)
            let rule = "A schedule publishes once, at its time."
            let reference = ChangeRequestReference(
                id: open.id, tag: open.tag, occasion: .scheduledStart)
            try await trial.expectError(.changeRequestMismatch, rule) {
                () throws(TemplateStoreError) in
                try await trial.publish(reference, after: 59)
            }
            var asEnd = reference
            asEnd.occasion = .scheduledEnd(kept: [])
            try await trial.expectError(.changeRequestMismatch, rule) {
                [asEnd] () throws(TemplateStoreError) in
                try await trial.publish(asEnd, after: 61)
            }
            let published = try await trial.publish(reference, after: 61)
            try trial.expect(published.version.number, is: 2, rule)
            try trial.expect(published.version.updateOrigin, is: .schedule, rule)
            let found = try await trial.reopen().changeRequest(
                id: open.id, inProject: StoreTrial.project, date: StoreTrial.date)
            try trial.expect(found?.state, is: .published, rule)
            try trial.expect(
                found?.request.schedule?.startOutcome,
                is: .init(.published, version: 2, date: StoreTrial.date + 61), rule)
            try trial.expect(found?.dueDate, is: nil, rule)
            try await trial.expectError(.changeRequestMismatch, rule) {
                () throws(TemplateStoreError) in
                try await trial.publish(reference, after: 62)
            }
            let current = try await trial.store.template(
                version: nil, inProject: StoreTrial.project)
            try trial.expect(current?.version.number, is: 2, rule)
        }
    }

    /// The steps of a rollout are published at their times, one after the other, and taken back; what
    /// becomes of it is stored in between.
    public func theStepsOfARolloutArePublished() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            var request = trial.scheduled(after: 60)
            request.schedule?.rollout = Rollout(
                plan: Rollout.Plan(condition: "c", bounds: [1, 2, 3], interval: 60))
            let rule = "A rollout is published step by step."
            var tag = try await trial.save(request, action: .schedulePublish).tag
            func publish(
                _ occasion: ChangeRequestReference.Occasion, after seconds: TimeInterval
            ) async throws(TemplateStoreError) {
                try await trial.publish(
                    .init(id: "1", tag: tag, occasion: occasion), after: seconds)
            }
            func rollout() async throws -> Rollout? {
                let found = try await trial.reopen().changeRequest(
                    id: "1", inProject: StoreTrial.project, date: StoreTrial.date)
                tag = found?.tag ?? ""
                return found?.request.schedule?.rollout
            }
            try await publish(.scheduledStart, after: 60)
            try trial.expect(try await rollout()?.bound, is: 1, rule)
            try await trial.expectError(.changeRequestMismatch, "A step waits for its time.") {
                () throws(TemplateStoreError) in
                try await publish(.rolloutStep, after: 119)
            }
            try await publish(.rolloutStep, after: 120)
            try await trial.expectError(.changeRequestMismatch, "A step is published once.") {
                () throws(TemplateStoreError) in
                try await publish(.rolloutStep, after: 180)
            }
            var known = try await rollout()
            try trial.expect(known?.steps.map(\.version), is: [2, 3], rule)
            known?.hold(at: StoreTrial.date + 130, because: "Lunch")
            request.ending = .init(participant: request.author, version: 2, date: StoreTrial.date)
            request.schedule?.end(
                .start, with: .init(.published, version: 2, date: StoreTrial.date))
            request.schedule?.rollout = known
            try await trial.save(
                request, id: "1", edited: nil, expecting: .tag(tag), action: .holdRollout)
            try trial.expect(try await rollout()?.state, is: .held, rule)
            try await trial.expectError(.changeRequestMismatch, "A held rollout takes no step.") {
                () throws(TemplateStoreError) in
                try await publish(.rolloutStep, after: 240)
            }
            try await publish(.rolloutTakenBack(reason: "Broken", kept: []), after: 131)
            known = try await rollout()
            try trial.expect(known?.bound, is: 1, "A rollout is taken back by one step.")
            try trial.expect(known?.hold?.reason, is: "Broken", rule)
            let waiting = try await trial.store.scheduledChangeRequests(date: StoreTrial.date + 200)
            try trial.expect(waiting.map(\.id), is: ["1"], "A held rollout waits.")
            try await publish(.rolloutTakenBack(reason: nil, kept: []), after: 140)
            try trial.expect(try await rollout()?.state, is: .stopped, rule)
            let left = try await trial.store.scheduledChangeRequests(date: StoreTrial.date + 200)
            try trial.expect(left.count, is: 0, "A rollout that has ended waits for nothing.")
        }
    }

    /// The end of a published schedule is published at its time, without further approvals than the start had; what
    /// came of it can be stored instead.
    public func theEndOfAScheduleIsPublished() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            for id in ["published", "missed"] {
                let open = try await trial.save(
                    trial.scheduled(after: 60, until: 120), id: id, action: .schedulePublish)
                try await trial.publish(
                    .init(id: id, tag: open.tag, occasion: .scheduledStart), after: 60)
            }
            let rule = "The end of a schedule is published or its outcome is stored."
            let waiting = try await trial.reopen().scheduledChangeRequests(
                date: StoreTrial.date + 100)
            try trial.expect(waiting.count, is: 2, rule)
            var missed: StoredChangeRequest?
            for header in waiting {
                try trial.expect(header.dueDate, is: StoreTrial.date + 120, rule)
                let reference = ChangeRequestReference(
                    id: header.id, tag: header.tag, occasion: .scheduledEnd(kept: ["a.b"]))
                try await trial.expectError(.changeRequestMismatch, rule) {
                    () throws(TemplateStoreError) in
                    try await trial.publish(reference, after: 119)
                }
                var outcome = ScheduledPublish.Outcome(
                    .published, version: 4, kept: ["a.b"], date: StoreTrial.date + 120)
                if header.id == "missed" {
                    outcome = .init(.missed, reason: "Late.", date: StoreTrial.date + 9_999)
                    let known = try await trial.store.changeRequest(
                        id: header.id, inProject: StoreTrial.project, date: StoreTrial.date)
                    guard var request = known?.request else { continue }
                    request.schedule?.end(.end, with: outcome)
                    let stored = try await trial.save(
                        request, id: header.id, edited: nil, expecting: .tag(header.tag),
                        action: .endScheduledPublish)
                    try await trial.expectError(
                        .changeRequestEnded, "A request with an outcome does not change."
                    ) { () throws(TemplateStoreError) in
                        try await trial.save(
                            request, id: header.id, edited: nil, expecting: .tag(stored.tag),
                            action: .endScheduledPublish)
                    }
                    missed = stored
                } else {
                    try await trial.protect(ProjectProtection(requiredApprovals: 1))
                    try await trial.expectError(
                        .approvalRequired, "The end of what nobody approved needs approvals."
                    ) { () throws(TemplateStoreError) in
                        try await trial.publish(reference, after: 120)
                    }
                    try await trial.protect(nil)
                    try await trial.publish(reference, after: 120)
                }
                let found = try await trial.reopen().changeRequest(
                    id: header.id, inProject: StoreTrial.project, date: StoreTrial.date)
                try trial.expect(found?.state, is: .published, rule)
                try trial.expect(found?.request.schedule?.endOutcome, is: outcome, rule)
                try trial.expect(found?.dueDate, is: nil, rule)
            }
            if let missed { try await expectAnotherEnd(of: missed, on: trial) }
        }
    }

    /// An end that has failed gets another time, and a schedule that was taken back none.
    private func expectAnotherEnd(
        of stored: StoredChangeRequest, on trial: StoreTrial
    ) async throws {
        let end = ScheduledPublish.Time(date: StoreTrial.date + 20_000, text: "later")
        guard let failed = stored.request.schedule else { return }
        var request = stored.request
        request.schedule = failed.ending(
            at: end, zone: nil, by: request.author, signIn: nil, tokenID: "2")
        let rule = "An end that has failed gets another time."
        let waiting = try await trial.save(
            request, id: stored.id, edited: nil, expecting: .tag(stored.tag),
            action: .schedulePublish)
        try trial.expect(waiting.state, is: .published, rule)
        let found = try await trial.reopen().scheduledChangeRequests(
            date: StoreTrial.date + 10_000)
        try trial.expect(
            found.filter { $0.id == stored.id }.map(\.dueDate), is: [end.date], rule)
        let reference = ChangeRequestReference(
            id: stored.id, tag: waiting.tag, occasion: .scheduledEnd(kept: []))
        try await trial.publish(reference, after: 20_000)
        let done = try await trial.reopen().changeRequest(
            id: stored.id, inProject: StoreTrial.project, date: StoreTrial.date)
        try await trial.expectError(
            .changeRequestEnded, "What was taken back has no other end."
        ) { () throws(TemplateStoreError) in
            try await trial.save(
                request, id: stored.id, edited: nil, expecting: .tag(done?.tag ?? ""),
                action: .schedulePublish)
        }
    }

    /// Who publishes a scheduled request ends its schedule.
    public func aPublishByHandEndsASchedule() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let open = try await trial.save(
                trial.scheduled(after: 60, until: 120), action: .schedulePublish)
            try await trial.publish(.init(id: open.id, tag: open.tag), after: 1)
            let found = try await trial.reopen().changeRequest(
                id: open.id, inProject: StoreTrial.project, date: StoreTrial.date)
            let rule = "A publish by hand ends the schedule."
            try trial.expect(found?.state, is: .published, rule)
            try trial.expect(found?.request.schedule?.startOutcome?.kind, is: .cancelled, rule)
            try trial.expect(
                try await trial.store.scheduledChangeRequests(date: StoreTrial.date), is: [], rule)
        }
    }
}

extension StoreTrial {
    /// A request that is published, and taken back, after numbers of seconds.
    fileprivate func scheduled(after start: Double, until end: Double? = nil) -> ChangeRequest {
        var request = Self.changeRequest()
        request.schedule = ScheduledPublish(
            start: .init(date: Self.date + start, text: "at \(start)"),
            end: end.map { .init(date: Self.date + $0, text: "at \($0)") }, zone: "Europe/Berlin",
            scheduler: .init(person: "Ada", actor: "ada's token"), tokenID: "1",
            predecessor: "é")
        return request
    }

    /// Publishes a request over the current version, after a number of seconds.
    @discardableResult
    fileprivate func publish(
        _ reference: ChangeRequestReference, after seconds: Double
    ) async throws(TemplateStoreError) -> StoredTemplate {
        let current = try await store.template(version: nil, inProject: Self.project)
        var submission = Self.submission(
            "{\"n\":\(seconds)}", expecting: .version(current?.version.number ?? 0),
            date: Self.date + seconds)
        submission.origin = .schedule
        submission.approval.changeRequest = reference
        return try await store.publish(submission)
    }
}
