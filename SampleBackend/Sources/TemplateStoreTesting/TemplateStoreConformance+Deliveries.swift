import Foundation
import TemplateStore
import Templates

extension TemplateStoreConformance {
    static var deliveryChecks: [Check] {
        [
            Check("aPublishMakesADeliveryForEachWebhook", Self.aPublishMakesADeliveryForEach),
            Check("aClaimKeepsOthersAway", Self.aClaimKeepsOthersAway),
            Check("aClaimEnds", Self.aClaimEnds),
            Check("aLaterVersionSupersedesWhatIsUnsent", Self.aLaterVersionSupersedesWhatIsUnsent),
            Check("aWebhookGetsOneDeliveryAtATime", Self.aWebhookGetsOneDeliveryAtATime),
            Check("aDeliveryIsFinishedOnce", Self.aDeliveryIsFinishedOnce),
            Check("aDeliveryIsTriedAgainWhenItIsDue", Self.aDeliveryIsTriedAgainWhenItIsDue),
            Check(
                "theNextDeliveryDateIsThatOfTheNextClaim", Self.theNextDeliveryDateIsThatOfTheNext),
            Check("theVersionThatAReceiverKnowsIsKept", Self.theVersionThatAReceiverKnowsIsKept),
            Check("theLastFinishedDeliveriesAreKept", Self.theLastFinishedDeliveriesAreKept),
        ]
    }

    /// A publish or rollback creates a delivery for each webhook of its project.
    public func aPublishMakesADeliveryForEach() async throws {
        try await onNewStore { trial in
            let (store, date) = (trial.store, StoreTrial.date)
            try await trial.addWebhooks("v", "w")
            try trial.expect(
                try await trial.deliveries(of: "v"), is: [],
                "A version published before a webhook was added makes no delivery.")
            try await trial.publish(inProject: "other")
            try await store.addWebhook(StoreTrial.webhook("o", inProject: "other"))
            try await trial.publish()
            _ = try await store.rollBack(
                to: 1, inProject: StoreTrial.project, user: TemplateVersion.User(), date: date + 1)
            let rule = "A publish makes a delivery for each webhook of the project."
            for name in ["v", "w"] {
                let found = try await trial.deliveries(of: name)
                try trial.expect(found.map(\.version), is: [3, 2], rule)
                try trial.expect(
                    found.map(\.event),
                    is: [
                        .publish(version: 3, updateType: .rollback),
                        .publish(version: 2, updateType: .incrementalUpdate),
                    ], rule)
                try trial.expect(found.map(\.creationDate), is: [date + 1, date], rule)
                try trial.expect(found.map(\.nextAttemptDate), is: [date + 1, nil], rule)
                try trial.expect(
                    found.map(\.webhookID), is: ["id of \(name)", "id of \(name)"], rule)
            }
            let others = try await store.deliveries(
                ofWebhook: "id of o", inProject: "other", limit: 9)
            try trial.expect(others, is: [], rule)
            let wrongProject = try await store.deliveries(
                ofWebhook: "id of v", inProject: "other", limit: 9)
            try trial.expect(wrongProject, is: [], "Another project does not see them.")
            let newest = try await store.deliveries(
                ofWebhook: "id of v", inProject: StoreTrial.project, limit: 1)
            try trial.expect(newest.map(\.version), is: [3], "The newest come first.")
            let ids = try await Set(
                (trial.deliveries(of: "v") + trial.deliveries(of: "w")).map(\.id))
            try trial.expect(ids.count, is: 4, "Each delivery has its own identifier.")
        }
    }

    /// A claimed delivery cannot be claimed by others, in this process or another.
    public func aClaimKeepsOthersAway() async throws {
        try await onNewStore { trial in
            try await trial.addWebhooks("u", "v", "w")
            try await trial.publish()
            let other = try await trial.reopen()
            let first = try await trial.claim(limit: 1)
            try trial.expect(first.count, is: 1, "At most the requested number is claimed.")
            let second = try await trial.claim(in: other)
            let rule = "A claimed delivery is not returned to others."
            try trial.expect(second.count, is: 2, rule)
            try trial.expect(
                Set((first + second).map(\.webhook)),
                is: Set(["u", "v", "w"].map { StoreTrial.webhook($0) }), rule)
            try trial.expect(try await trial.claim(at: 29), is: [], rule)
            try trial.expect(try await trial.claim(at: 29, in: other), is: [], rule)
            let delivery = try await trial.deliveries(of: "v").first
            try trial.expect(delivery?.attempts, is: 1, "A claim counts as an attempt.")
            try trial.expect(delivery?.state, is: .pending, "A claimed delivery is pending.")
        }
    }

    /// A claim at the next delivery's date returns a delivery.
    public func theNextDeliveryDateIsThatOfTheNext() async throws {
        try await onNewStore { trial in
            let (store, date) = (trial.store, StoreTrial.date)
            let rule = "A delivery can be claimed from the date of the next delivery."
            func expect(_ next: Date?) async throws {
                try trial.expect(try await store.nextDeliveryDate(), is: next, rule)
            }
            try await expect(nil)
            try await trial.addWebhooks("v")
            try await expect(nil)
            try await trial.publish()
            try await expect(date)
            let first = try trial.only(try await trial.claim())
            try await expect(date + 30)
            // A later version waits while a delivery of its webhook is claimed.
            try await trial.publish()
            try await expect(date + 30)
            try await trial.addWebhooks("w")
            try await trial.publish()
            try await expect(date)
            let second = try trial.only(try await trial.claim())
            try await trial.finish(second, .retry(at: date + 7))
            try await expect(date + 7)
            try await trial.finish(first, .delivered, at: 2)
            try await expect(date)
            for claimed in try await trial.claim(at: 8) {
                try await trial.finish(claimed, .failed, at: 9)
            }
            try await expect(nil)
        }
    }

    /// A delivery that is claimed but not finished in time is due again.
    public func aClaimEnds() async throws {
        try await onNewStore { trial in
            try await trial.addWebhooks("w")
            try await trial.publish()
            let first = try trial.only(try await trial.claim())
            let rule = "A delivery that is not finished in time is due again."
            try trial.expect(try await trial.claim(at: 29), is: [], rule)
            let second = try trial.only(try await trial.claim(at: 30))
            try trial.expect(second.delivery.id, is: first.delivery.id, rule)
            try trial.expect(second.delivery.attempts, is: 2, rule)
            for (claimed, seconds, isHeld) in [
                (first, 31, false), (second, 59, true), (second, 60, false),
            ] {
                let date = StoreTrial.date + TimeInterval(seconds)
                let found = try await trial.store.holdsClaim(of: claimed, date: date)
                try trial.expect(found, is: isHeld, "A claim is held until it ends.")
            }
            try await trial.finish(first, .delivered, at: 31)
            try trial.expect(
                try await trial.deliveries(of: "w").map(\.state), is: [.pending],
                "A lost claim cannot finish its delivery.")
            try await trial.finish(second, .delivered, at: 32)
            try trial.expect(
                try await trial.deliveries(of: "w").map(\.state), is: [.delivered], rule)
            let isHeld = try await trial.store.holdsClaim(of: second, date: StoreTrial.date + 33)
            try trial.expect(isHeld, is: false, "The claim of a finished delivery has ended.")
        }
    }

    /// The delivery of a later version supersedes unclaimed ones.
    public func aLaterVersionSupersedesWhatIsUnsent() async throws {
        try await onNewStore { trial in
            try await trial.addWebhooks("w")
            for _ in 2...4 { try await trial.publish() }
            let rule = "A later version supersedes unsent deliveries."
            let states: [WebhookDelivery.State] = [.pending, .superseded, .superseded]
            let found = try await trial.deliveries(of: "w")
            try trial.expect(found.map(\.state), is: states, rule)
            try trial.expect(
                found.map(\.finishDate), is: [nil, StoreTrial.date, StoreTrial.date], rule)
            let claimed = try trial.only(try await trial.claim())
            try trial.expect(claimed.delivery.version, is: 4, rule)
            try await trial.finish(claimed, .retry(at: StoreTrial.date + 100))
            try await trial.publish()
            try trial.expect(
                try await trial.deliveries(of: "w").map(\.state),
                is: [.pending, .superseded] + states.dropFirst(),
                rule)
        }
    }

    /// While a delivery is claimed its webhook yields no other delivery, and then the latest one.
    public func aWebhookGetsOneDeliveryAtATime() async throws {
        try await onNewStore { trial in
            try await trial.addWebhooks("w")
            try await trial.publish()
            let first = try trial.only(try await trial.claim())
            for _ in 3...4 { try await trial.publish() }
            let rule = "A webhook gets one delivery at a time."
            try trial.expect(try await trial.claim(), is: [], rule)
            try trial.expect(
                try await trial.deliveries(of: "w").map(\.state),
                is: [.pending, .superseded, .pending], "A delivery in progress is not superseded.")
            try await trial.finish(first, .retry(at: StoreTrial.date + 1), statusCode: 500)
            let second = try trial.only(try await trial.claim(at: 1))
            try trial.expect(second.delivery.version, is: 4, rule)
            let states = try await trial.deliveries(of: "w").map(\.state)
            try trial.expect(
                states, is: [.pending, .superseded, .superseded],
                "A later version supersedes a pending retry.")
        }
    }

    /// A finished delivery never changes, and keeps all its fields.
    public func aDeliveryIsFinishedOnce() async throws {
        try await onNewStore { trial in
            let outcomes: [(DeliveryAttempt.Outcome, WebhookDelivery.State)] = [
                (.delivered, .delivered), (.failed, .failed),
            ]
            try await trial.addWebhooks("w")
            for (outcome, state) in outcomes {
                try await trial.publish()
                let before = try await trial.revision()
                let claimed = try trial.only(try await trial.claim())
                try await trial.finish(claimed, outcome, statusCode: 410, error: "é\0", at: 5)
                try await trial.finish(claimed, .retry(at: StoreTrial.date), at: 6)
                try await trial.finish(claimed, .failed, at: 7)
                let found = try await trial.deliveries(of: "w").first
                let rule = "A finished delivery does not change."
                try trial.expect(found?.state, is: state, rule)
                try trial.expect(found?.statusCode, is: 410, rule)
                try trial.expect(found?.error, is: "é\0", rule)
                try trial.expect(found?.attempts, is: 1, rule)
                try trial.expect(found?.nextAttemptDate, is: nil, rule)
                try trial.expect(found?.finishDate, is: StoreTrial.date + 5, rule)
                try trial.expect(try await trial.claim(at: 1_000), is: [], rule)
                try trial.expect(
                    try await trial.revision(), is: before, "An attempt is not in the change feed.")
            }
        }
    }

    /// A failed delivery is due at its retry time, and not before.
    public func aDeliveryIsTriedAgainWhenItIsDue() async throws {
        try await onNewStore { trial in
            try await trial.addWebhooks("w")
            try await trial.publish()
            let first = try trial.only(try await trial.claim())
            try await trial.finish(
                first, .retry(at: StoreTrial.date + 60), statusCode: 503, error: "busy", at: 1)
            let rule = "A failed delivery is due at its retry time."
            let found = try await trial.deliveries(of: "w").first
            try trial.expect(found?.state, is: .pending, rule)
            try trial.expect(found?.nextAttemptDate, is: StoreTrial.date + 60, rule)
            try trial.expect(found?.statusCode, is: 503, rule)
            try trial.expect(found?.error, is: "busy", rule)
            try trial.expect(found?.finishDate, is: nil, rule)
            try trial.expect(try await trial.claim(at: 59), is: [], rule)
            let second = try trial.only(try await trial.claim(at: 60))
            try trial.expect(second.delivery.attempts, is: 2, rule)
            try trial.expect(second.delivery.statusCode, is: 503, rule)
        }
    }

    /// A claim includes the version that the receiver knows: the last delivered one.
    public func theVersionThatAReceiverKnowsIsKept() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            try await trial.addWebhooks("w")
            let outcomes: [(DeliveryAttempt.Outcome, Int)] = [
                (.delivered, 2), (.failed, 3), (.retry(at: StoreTrial.date), 3), (.delivered, 3),
                (.delivered, 6),
            ]
            for (outcome, known) in outcomes {
                try await trial.publish()
                let claimed = try trial.only(try await trial.claim())
                try trial.expect(
                    claimed.knownVersion, is: known,
                    "A receiver knows the last version that was delivered.")
                try await trial.finish(claimed, outcome)
            }
        }
    }

    /// The most recent finished deliveries are kept.
    public func theLastFinishedDeliveriesAreKept() async throws {
        try await onNewStore { trial in
            try await trial.addWebhooks("w")
            let last = TemplateStoreLimits.finishedDeliveries + 12
            for version in 2...last {
                try await trial.publish()
                guard version % 2 == 0 else { continue }
                let claimed = try trial.only(try await trial.claim())
                try await trial.finish(claimed, version % 4 == 0 ? .delivered : .failed)
            }
            try await trial.publish()
            let found = try await trial.deliveries(of: "w").map(\.version)
            let kept = (last + 1 - TemplateStoreLimits.finishedDeliveries)...(last + 1)
            try trial.expect(
                found, is: kept.reversed().map { $0 }, "The last finished deliveries are kept.")
        }
    }
}
