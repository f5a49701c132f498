import Foundation
import Logging
import NIOConcurrencyHelpers
import TemplateStore
import Testing

@testable import ClientAPI

/// Users whose pinned values changed before the server started.
struct EarlierOverridesTests {
    private struct Trail: AuditStoring {
        var entries: [AuditEntry] = []
        let fails = NIOLockedValueBox(false)

        /// Adds an entry that is newer than the others.
        mutating func add(_ action: AuditEntry.Action, _ subject: String) {
            entries.append(
                AuditEntry(
                    revision: StoreRevision(Int64(entries.count + 1)), project: "p",
                    date: Date(timeIntervalSince1970: 0), actor: "test", action: action,
                    subject: subject))
        }

        func auditEntries(
            inProject project: String, matching query: AuditQuery
        ) async throws(TemplateStoreError) -> [AuditEntry] {
            if fails.withLockedValue({ $0 }) { throw TemplateStoreError(.unavailable, "Test") }
            let older = entries.reversed().drop { entry in
                query.before.map { entry.revision >= $0 } ?? false
            }.filter { query.actions?.contains($0.action) ?? true }
            return Array(older.prefix(query.limit))
        }
    }

    private func makeOverrides(_ trail: Trail) -> EarlierOverrides {
        let overrides = EarlierOverrides(
            store: trail, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        overrides.expectChanges(inProjects: ["p"])
        return overrides
    }

    @Test func theUsersOfTheAuditTrailAreIncluded() async {
        var trail = Trail()
        trail.add(.publish, "1")
        trail.add(.setOverrides, "pinned")
        trail.add(.removeOverrides, "removed")
        let overrides = makeOverrides(trail)
        await overrides.read()
        #expect(overrides.mayInclude("pinned", inProject: "p", since: 1))
        #expect(overrides.mayInclude("removed", inProject: "p", since: 1))
        #expect(!overrides.mayInclude("other", inProject: "p", since: 1))
        #expect(!overrides.mayInclude("pinned", inProject: "new", since: 1))
    }

    @Test func theUsersOfADeletedProjectAreForgotten() async {
        var trail = Trail()
        trail.add(.publish, "1")
        trail.add(.setOverrides, "pinned")
        let overrides = makeOverrides(trail)
        #expect(overrides.mayInclude("pinned", inProject: "p", since: 1))
        overrides.forget(project: "p")
        #expect(!overrides.mayInclude("pinned", inProject: "p", since: 1))
        await overrides.read()
        #expect(!overrides.mayInclude("pinned", inProject: "p", since: 1))
    }

    @Test func entriesOnOtherThingsLeaveNoPinOut() async {
        var trail = Trail()
        trail.add(.publish, "1")
        trail.add(.setOverrides, "pinned")
        for _ in 0..<EarlierOverrides.maximumEntries { trail.add(.createToken, "session") }
        let overrides = makeOverrides(trail)
        await overrides.read()
        #expect(overrides.mayInclude("pinned", inProject: "p", since: 1))
        #expect(!overrides.mayInclude("other", inProject: "p", since: 1))
    }

    @Test func everyUserIsIncludedUntilTheAuditTrailIsRead() async {
        var trail = Trail()
        trail.add(.publish, "1")
        trail.fails.withLockedValue { $0 = true }
        let overrides = makeOverrides(trail)
        await overrides.read()
        #expect(overrides.mayInclude("other", inProject: "p", since: 1))
        trail.fails.withLockedValue { $0 = false }
        await overrides.read()
        #expect(!overrides.mayInclude("other", inProject: "p", since: 1))
    }

    @Test func everyUserIsIncludedForAVersionFromBeforeTheEntriesThatAreRead() async {
        var trail = Trail()
        trail.add(.publish, "1")
        trail.add(.setOverrides, "early")
        trail.add(.publish, "2")
        for number in 3..<EarlierOverrides.maximumEntries {
            trail.add(.setOverrides, "\(number)")
        }
        trail.add(.publish, "3")
        trail.add(.setOverrides, "late")
        let overrides = makeOverrides(trail)
        await overrides.read()
        #expect(overrides.mayInclude("other", inProject: "p", since: 1))
        #expect(!overrides.mayInclude("other", inProject: "p", since: 2))
        #expect(!overrides.mayInclude("early", inProject: "p", since: 2))
        #expect(overrides.mayInclude("late", inProject: "p", since: 3))
    }
}
