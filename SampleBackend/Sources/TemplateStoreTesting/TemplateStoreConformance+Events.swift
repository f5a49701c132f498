import Foundation
import TemplateStore
import Templates

extension TemplateStoreConformance {
    static var eventChecks: [Check] {
        [
            Check("webhooksKeepTheirTopics", Self.webhooksKeepTheirTopics),
            Check("stepsOfRequestsAreQueued", Self.stepsOfRequestsAreQueued),
            Check("aPublishOfARequestIsQueuedTwice", Self.aPublishOfARequestIsQueuedTwice),
            Check("expiriesAreRecordedOnce", Self.expiriesAreRecordedOnce),
            Check("stepsAreDeliveredInOrder", Self.stepsAreDeliveredInOrder),
            Check("aFailingStepHoldsUpNoVersion", Self.aFailingStepHoldsUpNoVersion),
            Check("waitingStepsAreLimited", Self.waitingStepsAreLimited),
        ]
    }

    /// A webhook keeps its topics, and gets no events of others.
    public func webhooksKeepTheirTopics() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let all: [Set<WebhookEvent.Topic>] = [
                [.publish], [.changeRequest], [.publish, .changeRequest],
            ]
            for (name, topics) in zip(["p", "c", "b"], all) {
                try await trial.store.addWebhook(StoreTrial.webhook(name, topics: topics))
            }
            let stored = try await trial.reopen().webhooks(inProject: StoreTrial.project)
            try trial.expect(stored.map(\.topics), is: all, "A webhook keeps its topics.")
            try await trial.save(StoreTrial.changeRequest())
            try await trial.publish()
            for (name, topics) in zip(["p", "c", "b"], all) {
                let found = try await trial.deliveries(of: name).map(\.event.topic)
                try trial.expect(
                    found, is: [.publish, .changeRequest].filter(topics.contains),
                    "A webhook gets the events of its topics only.")
            }
        }
    }

    /// Each step of a change request is queued with the change; comments and titles are none.
    public func stepsOfRequestsAreQueued() async throws {
        try await onNewStore { trial in
            try await trial.addEventWebhook()
            var open = try await trial.save(StoreTrial.changeRequest("é\u{0}"), edited: "{\"a\":1}")
            func save(
                _ action: AuditEntry.Action, edited: String? = nil,
                _ change: (inout ChangeRequest) -> Void
            ) async throws {
                var request = open.request
                change(&request)
                open = try await trial.save(
                    request, edited: edited, expecting: .tag(open.tag), action: action,
                    date: StoreTrial.date + 1)
            }
            try await save(.approveChangeRequest) {
                $0.add(StoreTrial.vote(.approve, by: "Bob", of: $0))
            }
            try await save(.rejectChangeRequest) {
                $0.add(StoreTrial.vote(.requestChanges, by: "Eve", of: $0))
            }
            try await save(.commentChangeRequest) {
                $0.add(
                    ChangeRequest.Comment(
                        author: .init(person: "Bob", actor: "b"), text: "Why?",
                        date: StoreTrial.date))
            }
            try await save(.editChangeRequest) { $0.title = "Another title" }
            try await save(.editChangeRequest, edited: "{\"a\":2}") { _ in }
            try await save(.closeChangeRequest) {
                $0.ending = ChangeRequest.Ending(
                    participant: .init(person: "Zoe", actor: "z"), date: StoreTrial.date)
            }
            let found = try await trial.steps().reversed()
            let rule = "Each step of a change request is queued."
            try trial.expect(
                found.map(\.kind),
                is: [.opened, .approved, .changesRequested, .edited, .closed], rule)
            try trial.expect(
                found.map(\.title), is: ["é\0", "é\0", "é\0", "Another title", "Another title"],
                rule)
            try trial.expect(
                found.map(\.approvers), is: [[], ["Bob"], ["Bob"], [], []],
                "A step has the people who approve the content.")
            try trial.expect(
                found.map(\.clearedApprovals), is: [nil, nil, nil, 1, nil],
                "An edit has the number of approvals that no longer count.")
            try trial.expect(
                found.map(\.actor?.person), is: ["Ada", "Bob", "Eve", "Ada", "Zoe"],
                "A step has who took it.")
            try trial.expect(
                found.allSatisfy { $0.requestID == "1" && $0.author.person == "Ada" },
                "A step has the request and its author.", found: "\(found)")
        }
    }

    /// The publish of a request is queued as a version and as a step, with the versions around it.
    public func aPublishOfARequestIsQueuedTwice() async throws {
        try await onNewStore { trial in
            try await trial.addEventWebhook()
            let rule = "The publish of a request is queued as a version and as a step."
            for (id, reason) in [("1", nil), ("2", "Outage")] {
                let open = try await trial.save(StoreTrial.changeRequest(), id: id)
                let before = try await trial.deliveries(of: "w").count
                let version = try await trial.store.publish(
                    TemplateSubmission(
                        project: StoreTrial.project, content: Data("{\"n\":\"\(id)\"}".utf8),
                        expectation: .any, date: StoreTrial.date + 1,
                        user: .init(name: "Publisher"),
                        approval: PublishApproval(
                            changeRequest: .init(id: id, tag: open.tag), bypassReason: reason,
                            person: "Zoe"))
                ).version.number
                let found = try await trial.deliveries(of: "w")
                try trial.expect(found.count, is: before + 2, rule)
                try trial.expect(found.map(\.version).prefix(2), is: [nil, version], rule)
                let step = try await trial.steps().first
                try trial.expect(step?.kind, is: reason == nil ? .published : .bypassed, rule)
                try trial.expect(step?.versionBefore, is: version - 1, rule)
                try trial.expect(step?.versionAfter, is: version, rule)
                try trial.expect(step?.bypassReason, is: reason, rule)
                try trial.expect(step?.actor?.person, is: "Zoe", rule)
            }
        }
    }

    /// The expiry of a request is in the audit trail and the change feed once, and webhooks are told
    /// of it; a request that changes before is not expired.
    public func expiriesAreRecordedOnce() async throws {
        try await onNewStore { trial in
            try await trial.addEventWebhook([.changeRequest])
            let open = try await trial.save(StoreTrial.changeRequest("Old"))
            let other = try await trial.save(StoreTrial.changeRequest("Kept"), id: "2")
            func age(_ days: Double) async throws {
                try await trial.store.removeExpiredChangeRequests(
                    at: StoreTrial.date + days * 86_400)
            }
            func entries() async throws -> [AuditEntry] {
                try await trial.reopen().auditEntries(
                    inProject: StoreTrial.project,
                    matching: AuditQuery(actions: [.expireChangeRequest]))
            }
            try await age(89)
            try await trial.save(
                other.request, id: "2", edited: nil, expecting: .tag(other.tag),
                action: .commentChangeRequest, date: StoreTrial.date + 89 * 86_400)
            try await age(90)
            let rule = "An expiry is recorded once, a day after it was noticed."
            try trial.expect(try await entries(), is: [], rule)
            let before = try await trial.revision()
            for days in [91.0, 91.5, 92] { try await age(days) }
            let found = try await entries()
            try trial.expect(found.map(\.subject), is: ["1"], rule)
            try trial.expect(found.first?.detail, is: "Old", "The entry has the title.")
            try trial.expect(found.first?.actor, is: "", "Nobody made it expire.")
            try trial.expect(
                found.first?.date, is: StoreTrial.date + 91 * 86_400, "The entry has the time.")
            try trial.expect(
                try await trial.next(1, of: trial.reopen().changes(since: before)).map(\.subject),
                is: [.changeRequest(project: StoreTrial.project, id: "1")], rule)
            let steps = try await trial.steps()
            try trial.expect(steps.map(\.kind), is: [.expired, .opened, .opened], rule)
            try trial.expect(steps.first?.requestID, is: "1", rule)
            let stored = try await trial.reopen().changeRequest(
                id: "1", inProject: StoreTrial.project, date: StoreTrial.date)
            try trial.expect(
                stored?.state, is: .expired, "A recorded expiry does not depend on the clock.")
            try trial.expect(
                StoreTrial.text(stored?.contents?.edited), is: "{}",
                "An expired request stays readable.")
            try trial.expect(stored?.tag != open.tag, rule, found: open.tag)
        }
    }

    /// Steps are delivered one after the other, none instead of another; a failing one is tried
    /// again before the next.
    public func stepsAreDeliveredInOrder() async throws {
        try await onNewStore { trial in
            try await trial.addEventWebhook([.changeRequest])
            for id in ["1", "2", "3"] { try await trial.save(StoreTrial.changeRequest(), id: id) }
            let rule = "Steps are delivered in order."
            let first = try trial.only(try await trial.claim())
            try trial.expect(first.step?.requestID, is: "1", rule)
            try trial.expect(try await trial.claim(), is: [], "A webhook gets one at a time.")
            try await trial.finish(first, .retry(at: StoreTrial.date + 60), at: 1)
            try trial.expect(
                try await trial.store.nextDeliveryDate(), is: StoreTrial.date + 60, rule)
            try trial.expect(try await trial.claim(at: 59), is: [], rule)
            for (id, outcome) in [
                ("1", DeliveryAttempt.Outcome.delivered), ("2", .failed), ("3", .delivered),
            ] {
                let claimed = try trial.only(try await trial.claim(at: 60))
                try trial.expect(claimed.step?.requestID, is: id, rule)
                try trial.expect(claimed.knownVersion, is: 1, "A step changes no known version.")
                try await trial.finish(claimed, outcome, at: 61)
            }
            try trial.expect(try await trial.claim(at: 1_000), is: [], rule)
            try trial.expect(
                try await trial.deliveries(of: "w").map(\.state),
                is: [.delivered, .failed, .delivered], "Steps supersede each other never.")
        }
    }

    /// Versions are delivered while a step waits for its next attempt, and the other way round.
    public func aFailingStepHoldsUpNoVersion() async throws {
        try await onNewStore { trial in
            try await trial.addEventWebhook()
            try await trial.save(StoreTrial.changeRequest())
            let step = try trial.only(try await trial.claim())
            try await trial.finish(step, .retry(at: StoreTrial.date + 100), at: 1)
            for _ in 2...3 { try await trial.publish() }
            let rule = "A failing step holds up no version, nor a version a step."
            try trial.expect(
                try await trial.store.nextDeliveryDate(), is: StoreTrial.date, rule)
            let version = try trial.only(try await trial.claim(at: 2))
            try trial.expect(version.delivery.version, is: 3, rule)
            try trial.expect(
                try await trial.claim(at: 3), is: [], "A webhook gets one delivery at a time.")
            try await trial.finish(version, .retry(at: StoreTrial.date + 500), at: 4)
            try trial.expect(
                try await trial.store.nextDeliveryDate(), is: StoreTrial.date + 100, rule)
            let again = try trial.only(try await trial.claim(at: 100))
            try trial.expect(again.delivery.id, is: step.delivery.id, rule)
            try trial.expect(
                try await trial.deliveries(of: "w").map(\.state),
                is: [.pending, .superseded, .pending], "A step is superseded by no version.")
        }
    }

    /// A number of steps waits for a webhook; the oldest of more are superseded.
    public func waitingStepsAreLimited() async throws {
        try await onNewStore { trial in
            try await trial.addEventWebhook([.changeRequest])
            let most = TemplateStoreLimits.waitingEvents
            var open = try await trial.save(StoreTrial.changeRequest())
            let first = try trial.only(try await trial.claim())
            for _ in 1...(most + 1) {
                var request = open.request
                request.add(StoreTrial.vote(.approve, by: "Bob", of: request))
                open = try await trial.save(
                    request, edited: nil, expecting: .tag(open.tag), action: .approveChangeRequest)
            }
            let found = try await trial.deliveries(of: "w")
            let rule = "The oldest of too many waiting steps are superseded."
            try trial.expect(
                found.map(\.state),
                is: Array(repeating: .pending, count: most) + [.superseded, .pending], rule)
            try trial.expect(
                found.last?.id, is: first.delivery.id, "A claimed step is not superseded.")
        }
    }
}

extension StoreTrial {
    /// Publishes a first version, and adds the webhook `w`.
    fileprivate func addEventWebhook(
        _ topics: Set<WebhookEvent.Topic> = [.publish, .changeRequest]
    ) async throws {
        try await publish()
        try await store.addWebhook(Self.webhook("w", topics: topics))
    }

    /// The queued steps of the webhook `w`, newest first.
    fileprivate func steps() async throws -> [ChangeRequestStep] {
        try await deliveries(of: "w").compactMap { delivery in
            if case .changeRequest(let step) = delivery.event { step } else { nil }
        }
    }
}

extension ClaimedDelivery {
    fileprivate var step: ChangeRequestStep? {
        if case .changeRequest(let step) = delivery.event { step } else { nil }
    }
}
