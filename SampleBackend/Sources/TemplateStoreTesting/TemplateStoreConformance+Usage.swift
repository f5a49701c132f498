import Foundation
import TemplateStore

extension TemplateStoreConformance {
    /// The checks of ``UsageStoring``.
    public static var usageChecks: [Check] {
        [
            Check("usageOfManyProcessesIsMerged", Self.usageOfManyProcessesIsMerged),
            Check("usageIsNoChange", Self.usageIsNoChange),
            Check("usageNeedsAProject", Self.usageNeedsAProject),
            Check("aDeletedProjectLosesItsUsage", Self.aDeletedProjectLosesItsUsage),
        ]
    }

    /// No batch is lost, whichever process adds it, and a repeated one counts once.
    public func usageOfManyProcessesIsMerged() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            try await trial.publish(inProject: "other")
            let stores = [trial.store, try await trial.reopen()]
            try await withThrowingTaskGroup { group in
                for number in 0..<16 {
                    group.addTask {
                        try await stores[number % 2].recordUsage(
                            StoreTrial.usage(number / 2), inProject: StoreTrial.project)
                    }
                }
                try await group.waitForAll()
            }
            var expected = ProjectUsage()
            for number in 0..<8 { expected.add(StoreTrial.usage(number)) }
            let rule = "Batches of all processes are merged."
            let found = try await trial.reopen().usage(inProject: StoreTrial.project)
            try trial.expect(found.deliveries, is: expected.deliveries, rule)
            try trial.expect(found.reads, is: expected.reads, rule)
            try trial.expect(found.since, is: UsageDay(20_000), rule)
            try trial.expect(found.shares.count, is: 8, "There is one share a day.")
            try trial.expect(
                try await trial.store.usage(inProject: "other"), is: ProjectUsage(),
                "Usage belongs to one project.")
        }
    }

    /// Usage is neither in the change feed nor in the audit trail.
    public func usageIsNoChange() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let before = try await trial.store.snapshot()
            let entries = try await trial.store.auditEntries(
                inProject: StoreTrial.project, matching: AuditQuery())
            try await trial.store.recordUsage(StoreTrial.usage(1), inProject: StoreTrial.project)
            let rule = "Usage is not a change."
            try trial.expect(try await trial.store.snapshot(), is: before, rule)
            try trial.expect(
                try await trial.store.auditEntries(
                    inProject: StoreTrial.project, matching: AuditQuery()), is: entries, rule)
        }
    }

    /// A batch for a project that does not exist has no effect, also when the project is made later.
    public func usageNeedsAProject() async throws {
        try await onNewStore { trial in
            let rule = "There is no usage without a project."
            try await trial.store.recordUsage(StoreTrial.usage(1), inProject: StoreTrial.project)
            try trial.expect(
                try await trial.store.usage(inProject: StoreTrial.project), is: ProjectUsage(), rule
            )
            _ = try await trial.create()
            try trial.expect(
                try await trial.store.usage(inProject: StoreTrial.project), is: ProjectUsage(), rule
            )
        }
    }

    /// A new project of a deleted one's name has none of its usage, also when a process adds it late.
    public func aDeletedProjectLosesItsUsage() async throws {
        try await onNewStore { trial in
            let project = StoreTrial.project
            for _ in 0..<3 { try await trial.publish() }
            let old = StoreTrial.usage(1, version: 3)
            try await trial.store.recordUsage(old, inProject: project)
            try await trial.setArchived(true)
            try await trial.delete()
            let rule = "A deleted project loses its usage."
            try trial.expect(try await trial.store.usage(inProject: project), is: .init(), rule)
            _ = try await trial.create()
            try trial.expect(try await trial.store.usage(inProject: project), is: .init(), rule)
            try await trial.store.recordUsage(old, inProject: project)
            let late = try await trial.reopen().usage(inProject: project)
            try trial.expect(late.deliveries, is: [:], rule)
            try trial.expect(late.reads, is: [:], rule)
            try trial.expect(late.shares, is: [], rule)
            let new = StoreTrial.usage(1, version: 4)
            try await trial.store.recordUsage(new, inProject: project)
            try trial.expect(
                try await trial.store.usage(inProject: project).deliveries, is: new.deliveries,
                "A new project has its own usage.")
        }
    }
}

extension StoreTrial {
    /// A batch of an app that batches of other numbers have too, and of one that they do not have.
    fileprivate static func usage(_ number: Int, version: Int = 1) -> UsageBatch {
        let day = UsageDay(20_000 + number)
        let mark = UsageMark(day: day, version: version)
        return UsageBatch(
            day: day,
            deliveries: [
                UsedApp(id: "app", version: "é\0\(number)"): mark,
                UsedApp(id: "app", version: nil): mark, .unknown: mark, .service: mark,
            ],
            reads: [
                UsedSetting(section: "S", key: "é"): mark,
                UsedSetting(section: "S", key: "e\u{301}\(number)"): mark,
            ],
            share: UsageShare(day: day, version: version, clients: 10, current: number))
    }
}
