import Foundation
import TemplateStore
import Templates

extension TemplateStoreConformance {
    /// The checks of ``TemplateStore``.
    public static var lifecycleChecks: [Check] {
        [
            Check("anotherHandleSeesAll", Self.anotherHandleSeesAll),
            Check("anOpenStoreIsReady", Self.anOpenStoreIsReady),
            Check("aClosedStoreRefusesEverything", Self.aClosedStoreRefusesEverything),
        ]
    }

    /// Content stored through one handle is immediately visible through another.
    public func anotherHandleSeesAll() async throws {
        try await onNewStore { trial in
            let project = StoreTrial.project
            let other = try await trial.reopen()
            for turn in 0..<5 {
                let (writer, reader) = turn % 2 == 0 ? (trial.store, other) : (other, trial.store)
                let template = try await writer.publish(StoreTrial.submission("\(turn)"))
                let rule = "Content stored by one handle is immediately visible to another."
                let found = try await reader.template(version: nil, inProject: project)
                try trial.expect(found, is: template, rule)
                try await writer.setOverrides(
                    OverridesChange(
                        project: project, userID: "1", content: Data("\(turn)".utf8),
                        date: StoreTrial.date, actor: "a"))
                let pinned = try await reader.overrides(forUserID: "1", inProject: project)
                try trial.expect(StoreTrial.text(pinned), is: "\(turn)", rule)
                try await writer.addToken(StoreTrial.token("\(turn)"), actor: "root")
                try trial.expect(try await reader.tokens().count, is: turn + 1, rule)
                let (mine, theirs) = (try await writer.snapshot(), try await reader.snapshot())
                try trial.expect(mine, is: theirs, rule)
                let entries = try await reader.auditEntries(
                    inProject: project, matching: AuditQuery())
                try trial.expect(entries.count, is: 3 * (turn + 1), rule)
            }
        }
    }

    /// An open store is ready, and checking it is not a change.
    public func anOpenStoreIsReady() async throws {
        try await onNewStore { trial in
            try await trial.store.checkReadiness()
            try await trial.publish()
            let before = try await trial.revision()
            for _ in 0..<10 { try await trial.store.checkReadiness() }
            try trial.expect(
                try await trial.revision(), is: before, "Checking readiness is not a change.")
        }
    }

    /// A closed store refuses all calls, even if it was closed twice.
    public func aClosedStoreRefusesEverything() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let store = trial.store
            await store.close()
            await store.close()
            let project = StoreTrial.project
            typealias Call = @Sendable () async throws(TemplateStoreError) -> Void
            let calls: [(name: String, call: Call)] = [
                ("publish", { () throws(TemplateStoreError) in try await trial.publish() }),
                (
                    "template",
                    { () throws(TemplateStoreError) in
                        _ = try await store.template(version: nil, inProject: project)
                    }
                ),
                (
                    "versions",
                    { () throws(TemplateStoreError) in
                        _ = try await store.versions(inProject: project, matching: VersionQuery())
                    }
                ),
                (
                    "setOverrides",
                    { () throws(TemplateStoreError) in try await trial.pin("{}", forUserID: "1") }
                ),
                (
                    "overrides",
                    { () throws(TemplateStoreError) in
                        _ = try await store.overrides(forUserID: "1", inProject: project)
                    }
                ),
                ("snapshot", { () throws(TemplateStoreError) in _ = try await store.snapshot() }),
                (
                    "auditEntries",
                    { () throws(TemplateStoreError) in
                        _ = try await store.auditEntries(inProject: project, matching: AuditQuery())
                    }
                ),
                (
                    "addToken",
                    { () throws(TemplateStoreError) in
                        try await store.addToken(StoreTrial.token("t"), actor: "root")
                    }
                ),
                ("tokens", { () throws(TemplateStoreError) in _ = try await store.tokens() }),
                (
                    "revokeToken",
                    { () throws(TemplateStoreError) in
                        _ = try await store.revokeToken(
                            id: "t", actor: "root", date: StoreTrial.date)
                    }
                ),
                (
                    "recordUses",
                    { () throws(TemplateStoreError) in
                        try await store.recordUses(["t": StoreTrial.date])
                    }
                ),
                (
                    "recordUsage",
                    { () throws(TemplateStoreError) in
                        try await store.recordUsage(
                            UsageBatch(day: UsageDay(1)), inProject: StoreTrial.project)
                    }
                ),
                (
                    "usage",
                    { () throws(TemplateStoreError) in
                        _ = try await store.usage(inProject: StoreTrial.project)
                    }
                ),
                (
                    "addSession",
                    { () throws(TemplateStoreError) in
                        try await store.addSession(StoreTrial.session("s"), actor: "root")
                    }
                ),
                (
                    "sessions",
                    { () throws(TemplateStoreError) in
                        _ = try await store.sessions(lastingAt: StoreTrial.date)
                    }
                ),
                (
                    "session",
                    { () throws(TemplateStoreError) in _ = try await store.session(id: "s") }
                ),
                (
                    "removeSession",
                    { () throws(TemplateStoreError) in
                        _ = try await store.removeSession(
                            id: "s", actor: "root", date: StoreTrial.date)
                    }
                ),
                (
                    "setProjectDetails",
                    { () throws(TemplateStoreError) in
                        _ = try await store.setProjectDetails(
                            StoreTrial.detailsChange(ProjectDetails()))
                    }
                ),
                (
                    "createProject",
                    { () throws(TemplateStoreError) in
                        _ = try await store.createProject(
                            ProjectCreation(
                                project: project, details: ProjectDetails(),
                                date: StoreTrial.date, actor: "root"))
                    }
                ),
                (
                    "deleteProject",
                    { () throws(TemplateStoreError) in
                        try await store.deleteProject(
                            ProjectDeletion(
                                project: project, date: StoreTrial.date, actor: "root"))
                    }
                ),
                (
                    "projectDetails",
                    { () throws(TemplateStoreError) in
                        _ = try await store.projectDetails(ofProject: project)
                    }
                ),
                (
                    "addWebhook",
                    { () throws(TemplateStoreError) in
                        try await store.addWebhook(StoreTrial.webhook("w"))
                    }
                ),
                (
                    "webhooks",
                    { () throws(TemplateStoreError) in
                        _ = try await store.webhooks(inProject: project)
                    }
                ),
                (
                    "removeWebhook",
                    { () throws(TemplateStoreError) in
                        _ = try await store.removeWebhook(
                            id: "w", inProject: project, actor: "root", date: StoreTrial.date)
                    }
                ),
                (
                    "deliveries",
                    { () throws(TemplateStoreError) in
                        _ = try await store.deliveries(
                            ofWebhook: "w", inProject: project, limit: 1)
                    }
                ),
                (
                    "claimDeliveries",
                    { () throws(TemplateStoreError) in
                        _ = try await store.claimDeliveries(
                            date: StoreTrial.date, until: StoreTrial.date + 1, limit: 1)
                    }
                ),
                (
                    "holdsClaim",
                    { () throws(TemplateStoreError) in
                        let delivery = WebhookDelivery(
                            id: "d", webhookID: "w",
                            event: .publish(version: 1, updateType: .incrementalUpdate),
                            creationDate: StoreTrial.date)
                        _ = try await store.holdsClaim(
                            of: ClaimedDelivery(
                                delivery: delivery, webhook: StoreTrial.webhook("w"),
                                knownVersion: 0),
                            date: StoreTrial.date)
                    }
                ),
                (
                    "nextDeliveryDate",
                    { () throws(TemplateStoreError) in _ = try await store.nextDeliveryDate() }
                ),
                (
                    "finish",
                    { () throws(TemplateStoreError) in
                        try await store.finish(
                            DeliveryAttempt(
                                at: ClaimedDelivery(
                                    delivery: WebhookDelivery(
                                        id: "d", webhookID: "w",
                                        event: .publish(version: 1, updateType: .unspecified),
                                        creationDate: StoreTrial.date),
                                    webhook: StoreTrial.webhook("w"), knownVersion: 0),
                                outcome: .failed, date: StoreTrial.date))
                    }
                ),
                (
                    "checkReadiness",
                    { () throws(TemplateStoreError) in try await store.checkReadiness() }
                ),
            ]
            for (name, call) in calls {
                try await trial.expectError(
                    .unavailable, "A closed store refuses \(name).", call)
            }
            let changes = try await trial.next(1, of: store.changes(since: .zero))
            try trial.expect(changes, is: [], "A closed store has no changes to follow.")
        }
    }
}
