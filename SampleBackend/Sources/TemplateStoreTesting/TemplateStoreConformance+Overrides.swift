import Foundation
import TemplateStore
import Templates

extension TemplateStoreConformance {
    /// The checks of ``OverridesStoring``.
    public static var overridesChecks: [Check] {
        [
            Check("overridesAreKeptByTheBytesOfUserIDs", Self.overridesAreKeptByTheBytesOfUserIDs),
            Check("overridesNeedAProject", Self.overridesNeedAProject),
            Check("overridesReplaceTheExpectedOnesOnly", Self.overridesReplaceTheExpectedOnesOnly),
            Check("oneOfManyConcurrentPinsIsStored", Self.oneOfManyConcurrentPinsIsStored),
            Check("removingNothingIsNoChange", Self.removingNothingIsNoChange),
            Check("overridesAreLimited", Self.overridesAreLimited),
            Check("theAuditTrailNamesPinnedValues", Self.theAuditTrailNamesPinnedValues),
            Check(
                "theAuditTrailLeadsBackToPinnedValues", Self.theAuditTrailLeadsBackToPinnedValues),
        ]
    }

    /// User IDs that a store can easily confuse.
    private static var userIDs: [String] {
        [
            "", "1", " ", "é", "e\u{301}", "\0", "a", "a\0", "a\0b", "A", "a/b", "a%2Fb", "..",
            "😀", "null", "\u{FEFF}a", String(repeating: "x", count: 10_240),
            String(repeating: "x", count: 10_239) + "y",
        ]
    }

    /// Pinned values belong to one user, whose ID compares byte by byte.
    public func overridesAreKeptByTheBytesOfUserIDs() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            try await trial.publish(inProject: "other")
            let users = Self.userIDs
            for (index, user) in users.enumerated() {
                try await trial.pin("\(index)", forUserID: user)
            }
            try await trial.pin("other", forUserID: "1", inProject: "other")
            let other = try await trial.reopen()
            let snapshot = try await other.snapshot()
            let rule = "Pinned values are stored by the bytes of the user ID."
            for (index, user) in users.enumerated() {
                let found = try await other.overrides(
                    forUserID: user, inProject: StoreTrial.project)
                try trial.expect(StoreTrial.text(found), is: "\(index)", "\(rule) Row \(index).")
                let pinned = snapshot.overrides[StoreTrial.project]?[Data(user.utf8)]
                try trial.expect(
                    StoreTrial.text(pinned), is: "\(index)", "\(rule) Snapshot, row \(index).")
            }
            try trial.expect(
                snapshot.overrides[StoreTrial.project]?.count, is: users.count, rule)
            try trial.expect(
                snapshot.overrides["other"], is: [Data("1".utf8): Data("other".utf8)],
                "Pinned values belong to one project.")
            try await trial.pin("", forUserID: "é")
            try await trial.pin(nil, forUserID: "1")
            let changed = try await other.overrides(forUserID: "é", inProject: StoreTrial.project)
            try trial.expect(changed, is: Data(), "Pinned values are replaced.")
            let removed = try await other.overrides(forUserID: "1", inProject: StoreTrial.project)
            try trial.expect(removed, is: nil, "Pinned values are removed.")
            let kept = try await other.overrides(
                forUserID: "e\u{301}", inProject: StoreTrial.project)
            try trial.expect(
                StoreTrial.text(kept), is: "4", "Pinned values of other users do not change.")
        }
    }

    /// A change does not replace pinned values that changed since its expected revision.
    public func overridesReplaceTheExpectedOnesOnly() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let rule = "Pinned values replace only the expected ones."
            func expectMismatch(
                _ content: String?, expecting expectations: StateExpectation...
            ) async throws {
                for expectation in expectations {
                    try await trial.expectError(.overridesMismatch, rule) {
                        () throws(TemplateStoreError) in
                        try await trial.pin(content, forUserID: "1", expecting: expectation)
                    }
                }
            }
            let first = OverridesChange.tag(of: Data("a".utf8))
            try await expectMismatch("a", expecting: .present, .tag(first), .tag(""))
            try await expectMismatch(nil, expecting: .present, .tag(first))
            try await trial.pin("a", forUserID: "1", expecting: .absent)
            try await trial.pin("b", forUserID: "1", expecting: .tag(first))
            let revision = try await trial.revision()
            try await expectMismatch("c", expecting: .absent, .tag(first))
            try await expectMismatch(nil, expecting: .absent, .tag(first))
            let found = try await trial.store.overrides(
                forUserID: "1", inProject: StoreTrial.project)
            try trial.expect(StoreTrial.text(found), is: "b", rule)
            try trial.expect(
                try await trial.revision(), is: revision, "A failed call makes no revision.")
            try await trial.pin("", forUserID: "1", expecting: .present)
            try await trial.pin(
                nil, forUserID: "1", expecting: .tag(OverridesChange.tag(of: Data())))
            try await trial.pin(nil, forUserID: "1", expecting: .absent)
        }
    }

    /// Of concurrent changes that replace the same pinned values, exactly one succeeds.
    public func oneOfManyConcurrentPinsIsStored() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let rule = "One of many concurrent pins is stored."
            let stored = try await trial.onlyOneSucceeds(rule, elseFailing: .overridesMismatch) {
                store, number throws(TemplateStoreError) in
                let content = Data("\(number)".utf8)
                try await store.setOverrides(
                    OverridesChange(
                        project: StoreTrial.project, userID: "1", content: content,
                        expectation: .absent, date: StoreTrial.date, actor: "supporter"))
                return content
            }
            let found = try await trial.store.overrides(
                forUserID: "1", inProject: StoreTrial.project)
            try trial.expect(found, is: stored, rule)
        }
    }

    /// There are no pinned values before the first publish of a project.
    public func overridesNeedAProject() async throws {
        try await onNewStore { trial in
            for content in ["{}", nil] {
                try await trial.expectError(
                    .projectMissing, "Pinned values need a published project."
                ) { () throws(TemplateStoreError) in
                    try await trial.pin(content, forUserID: "1")
                }
            }
            let found = try await trial.store.overrides(
                forUserID: "1", inProject: StoreTrial.project)
            try trial.expect(found, is: nil, "Nothing is pinned in a project that does not exist.")
            try trial.expect(
                try await trial.revision(), is: .zero, "A failed call makes no revision.")
        }
    }

    /// Removing absent values is not a change.
    public func removingNothingIsNoChange() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let before = try await trial.store.snapshot()
            try await trial.pin(nil, forUserID: "1")
            let rule = "Removing absent values is not a change."
            try trial.expect(try await trial.store.snapshot(), is: before, rule)
            let entries = try await trial.store.auditEntries(
                inProject: StoreTrial.project, matching: AuditQuery())
            try trial.expect(entries.count, is: 1, rule)
        }
    }

    /// The audit trail names the settings whose pinned values change, with both values.
    public func theAuditTrailNamesPinnedValues() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let long = String(repeating: "x", count: 5_000)
            let contents: [String?] = [
                #"{"Home":{"title":"x","count":3}}"#, #"{"Home":{"title":"y"}}"#,
                #"{"Home":{"title":"y"}}"#, nil, #"{"Home":{"long":"\#(long)"}}"#,
            ]
            for content in contents { try await trial.pin(content, forUserID: "1") }
            let entries = try await trial.reopen().auditEntries(
                inProject: StoreTrial.project, matching: AuditQuery(limit: 5))
            let expected = [
                "Home.count = 3; Home.title = \"x\"",
                "Home.count no longer pinned (was 3); Home.title = \"y\" (was \"x\")",
                nil, "Home.title no longer pinned (was \"y\")",
                "Home.long = \"\(long.prefix(99))…; long values are cut",
            ]
            try trial.expect(
                entries.map(\.detail), is: expected.reversed(),
                "The entry of a change of pinned values names what changes.")
        }
    }

    /// Pinned values of earlier times follow from the current ones and the audit trail.
    public func theAuditTrailLeadsBackToPinnedValues() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let contents: [String?] = [
                nil, #"{"Home":{"title":"x; \"y\" (was","a.b":[1,{"c":null}]},"é":{}}"#,
                #"{"Home":{"a.b":[1,{"c":null}],"\\":1.50}}"#, nil, #"{"Home":{"title":"z"}}"#,
                #"{"Home":{"title":"z"}}"#, "{}", #"{"":{"":true}}"#,
            ]
            for content in contents { try await trial.pin(content, forUserID: "1") }
            let reopened = try await trial.reopen()
            let current = try await reopened.overrides(
                forUserID: "1", inProject: StoreTrial.project)
            let entries = try await reopened.auditEntries(
                inProject: StoreTrial.project,
                matching: AuditQuery(actions: [.setOverrides, .removeOverrides]))
            let rule = "The audit trail leads back to earlier pinned values."
            // The removal of absent values has no entry.
            try trial.expect(entries.count, is: contents.count - 1, rule)
            var pins = PinnedValues(jsonData: current)
            for (entry, content) in zip(entries, contents.dropLast().reversed()) {
                pins = try? pins?.reverting(entry.detail)
                let expected = PinnedValues(jsonData: content.map { Data($0.utf8) })
                try trial.expect(pins, is: expected, "\(rule) Before \(entry.detail ?? "nil").")
            }
        }
    }

    /// The number of users with pinned values is limited.
    public func overridesAreLimited() async throws {
        try await onNewStore { trial in
            let limit = TemplateStoreLimits.usersWithOverrides
            let start = try await trial.pinAtOnce(users: limit - 64)
            try await trial.publish(inProject: "other")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        for user in stride(from: start + task, to: limit, by: 8) {
                            try await trial.pin("\(user)", forUserID: "\(user)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            let rule = "Values are pinned for at most \(limit) users of a project."
            let before = try await trial.revision()
            try await trial.expectError(.tooManyOverrides, rule) { () throws(TemplateStoreError) in
                try await trial.pin("{}", forUserID: "one more")
            }
            try trial.expect(try await trial.revision(), is: before, rule)
            try await trial.pin("again", forUserID: "0")
            try await trial.pin("{}", forUserID: "1", inProject: "other")
            try await trial.pin(nil, forUserID: "1")
            try await trial.pin("{}", forUserID: "one more")
            let pinned = try await trial.store.snapshot().overrides[StoreTrial.project] ?? [:]
            try trial.expect(pinned.count, is: limit, rule)
            try trial.expect(
                StoreTrial.text(pinned[Data("0".utf8)]), is: "again",
                "At the limit, pinned values can be changed.")
            try trial.expect(
                StoreTrial.text(pinned[Data("one more".utf8)]), is: "{}",
                "Removing a user's values makes room for another user.")
        }
    }
}

extension StoreTrial {
    /// Publishes the project, and pins values for users through the archive, if the engine has one:
    /// single calls would take minutes in a cluster.
    ///
    /// - Returns: The number of users; 0 for other engines.
    fileprivate func pinAtOnce(users count: Int) async throws -> Int {
        guard let store = store as? any ArchivingStore else {
            try await publish()
            return 0
        }
        let writer = try await store.beginFilling()
        let template = Self.submission(
            "{}", expecting: .any, inProject: Self.project, date: Self.date
        ).stored(asVersion: 1, revision: StoreRevision(1))
        try await writer.write(.change(AuditEntry(of: template), .template(template)))
        for user in 0..<count {
            try await writer.write(
                .overrides(
                    project: Self.project, userID: "\(user)", content: Data("\(user)".utf8)))
        }
        try await writer.flush()
        try await writer.complete()
        return count
    }
}
