import Foundation
import TemplateStore

extension TemplateStoreConformance {
    static var receiverChecks: [Check] {
        [
            Check("webhooksAreKeptAsTheyAre", Self.webhooksAreKeptAsTheyAre),
            Check("aWebhookNeedsAProject", Self.aWebhookNeedsAProject),
            Check("webhooksAreLimited", Self.webhooksAreLimited),
            Check("aWebhookIsRemovedWithItsDeliveries", Self.aWebhookIsRemovedWithItsDeliveries),
            Check("webhooksAreInTheAuditTrail", Self.webhooksAreInTheAuditTrail),
        ]
    }

    /// Webhooks keep all their fields, oldest first.
    public func webhooksAreKeptAsTheyAre() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            try await trial.publish(inProject: "other")
            let webhooks = ["z", "a", "", "a\0b", "é"].map { StoreTrial.webhook($0) }
            for webhook in webhooks { try await trial.store.addWebhook(webhook) }
            let other = StoreTrial.webhook("o", inProject: "other")
            try await trial.store.addWebhook(other)
            let rule = "Webhooks are returned unchanged, oldest first."
            let store = try await trial.reopen()
            let found = try await store.webhooks(inProject: StoreTrial.project)
            try trial.expect(found, is: webhooks, rule)
            try trial.expect(try await store.webhooks(inProject: "other"), is: [other], rule)
            try trial.expect(try await store.webhooks(inProject: "none"), is: [], rule)
        }
    }

    /// A webhook before the first publish of its project is refused.
    public func aWebhookNeedsAProject() async throws {
        try await onNewStore { trial in
            try await trial.expectError(
                .projectMissing, "A webhook before the first publish is refused."
            ) { () throws(TemplateStoreError) in
                try await trial.store.addWebhook(StoreTrial.webhook("w"))
            }
        }
    }

    /// The number of webhooks per project is limited.
    public func webhooksAreLimited() async throws {
        try await onNewStore { trial in
            let store = trial.store
            try await trial.publish()
            try await trial.publish(inProject: "other")
            for number in 1...TemplateStoreLimits.webhooks {
                try await store.addWebhook(StoreTrial.webhook("\(number)"))
            }
            let before = try await trial.revision()
            let rule = "A project has \(TemplateStoreLimits.webhooks) webhooks at most."
            try await trial.expectError(.tooManyWebhooks, rule) { () throws(TemplateStoreError) in
                try await store.addWebhook(StoreTrial.webhook("one more"))
            }
            try trial.expect(try await trial.revision(), is: before, rule)
            try await store.addWebhook(StoreTrial.webhook("o", inProject: "other"))
            _ = try await store.removeWebhook(
                id: "id of 1", inProject: StoreTrial.project, actor: "root", date: StoreTrial.date)
            try await store.addWebhook(StoreTrial.webhook("one more"))
        }
    }

    /// A webhook is removed with its deliveries, only through its own project.
    public func aWebhookIsRemovedWithItsDeliveries() async throws {
        try await onNewStore { trial in
            let (store, date) = (trial.store, StoreTrial.date)
            try await trial.publish()
            try await trial.publish(inProject: "other")
            for name in ["v", "w"] { try await store.addWebhook(StoreTrial.webhook(name)) }
            try await trial.publish()
            let rule = "A webhook is removed by its project and its identifier."
            for (id, project) in [("id of v", "other"), ("v", StoreTrial.project)] {
                let isFound = try await store.removeWebhook(
                    id: id, inProject: project, actor: "root", date: date)
                try trial.expect(isFound, is: false, rule)
            }
            for isThere in [true, false] {
                let isFound = try await store.removeWebhook(
                    id: "id of v", inProject: StoreTrial.project, actor: "root", date: date)
                try trial.expect(isFound, is: isThere, rule)
            }
            let left = try await store.webhooks(inProject: StoreTrial.project)
            try trial.expect(left, is: [StoreTrial.webhook("w")], rule)
            let deliveries = try await store.deliveries(
                ofWebhook: "id of v", inProject: StoreTrial.project, limit: 9)
            try trial.expect(deliveries, is: [], "A webhook's deliveries are removed with it.")
            let claimed = try await store.claimDeliveries(date: date, until: date + 9, limit: 9)
            try trial.expect(
                claimed.map(\.webhook.id), is: ["id of w"], "Its deliveries are removed, too.")
        }
    }

    /// Adding and removing a webhook is a change with an audit entry, without the secret.
    public func webhooksAreInTheAuditTrail() async throws {
        try await onNewStore { trial in
            let (store, date) = (trial.store, StoreTrial.date)
            let first = try await trial.publish().revision
            try await store.addWebhook(StoreTrial.webhook("w"))
            _ = try await store.removeWebhook(
                id: "id of w", inProject: StoreTrial.project, actor: "operator", date: date + 1)
            let changes = try await trial.next(2, of: store.changes(since: first))
            let rule = "Adding or removing a webhook is a change with an entry."
            var secret = StoreTrial.webhook("x")
            secret = StoredWebhook(
                id: secret.id, project: secret.project, url: "https://w/?key=secret&other",
                secret: secret.secret, creationDate: secret.creationDate, creator: secret.creator)
            try await store.addWebhook(secret)
            let newest = try await trial.reopen().auditEntries(
                inProject: StoreTrial.project, matching: AuditQuery(limit: 1)
            ).first
            try trial.expect(
                newest?.detail, is: "https://w/?key=***&***",
                "The audit trail has no value of the query of a webhook's address.")
            try trial.expect(
                try await store.webhooks(inProject: StoreTrial.project).map(\.url),
                is: [secret.url], "Deliveries use the whole address.")
            _ = try await store.removeWebhook(
                id: secret.id, inProject: StoreTrial.project, actor: "operator", date: date + 2)
            let subject = StoreChange.Subject.webhooks(project: StoreTrial.project)
            try trial.expect(changes.map(\.subject), is: [subject, subject], rule)
            let entries = try await trial.reopen().auditEntries(
                inProject: StoreTrial.project,
                matching: AuditQuery(
                    limit: 2, before: StoreRevision(changes[1].revision.number + 1)))
            let expected = [
                AuditEntry(
                    revision: changes[1].revision, project: StoreTrial.project, date: date + 1,
                    actor: "operator", action: .removeWebhook, subject: "id of w",
                    detail: "https://w"),
                AuditEntry(
                    revision: changes[0].revision, project: StoreTrial.project, date: date,
                    actor: "root", action: .createWebhook, subject: "id of w",
                    detail: "https://w"),
            ]
            try trial.expect(entries, is: expected, rule)
        }
    }
}
