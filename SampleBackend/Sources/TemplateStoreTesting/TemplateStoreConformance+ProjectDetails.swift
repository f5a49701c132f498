import Foundation
import JSONTree
import TemplateStore
import Templates

extension TemplateStoreConformance {
    /// The checks of ``ProjectDetailsStoring``.
    public static var projectDetailsChecks: [Check] {
        [
            Check("projectDetailsAreKeptAsTheyAre", Self.projectDetailsAreKeptAsTheyAre),
            Check("projectDetailsNeedAProject", Self.projectDetailsNeedAProject),
            Check(
                "projectDetailsReplaceTheExpectedOnesOnly",
                Self.projectDetailsReplaceTheExpectedOnesOnly),
            Check(
                "oneOfManyConcurrentProjectDetailsIsStored",
                Self.oneOfManyConcurrentProjectDetailsIsStored),
            Check("equalProjectDetailsAreNoChange", Self.equalProjectDetailsAreNoChange),
            Check("projectDetailsAreInTheAuditTrail", Self.projectDetailsAreInTheAuditTrail),
        ]
    }

    /// Lists of marks: of a setting and of a condition, of names that only look alike, and large ones.
    private static var intendedDifferences: [[IntendedDifference]] {
        func mark(
            _ subject: ComparedSubject, note: String = "é\u{1F600}\"\\", that: JSONNode? = nil
        ) -> IntendedDifference {
            IntendedDifference(
                other: "other", subject: subject, note: note, author: "Anna",
                date: StoreTrial.date, this: .init(["defaultValue": ["value": "a/b"]]),
                that: .init(that))
        }
        let settings = ["é", "e\u{301}"].map { key in
            mark(.setting(SettingPlace(section: "", key: key)))
        }
        let long = String(repeating: "x", count: 400)
        return [
            settings, [mark(.condition("c"), that: ["expression": .string(long)])],
            (0..<90).map { mark(.condition(ExactText("c\($0)")), note: long) },
        ]
    }

    /// Details belong to one project, and keep all their fields, also in a snapshot.
    public func projectDetailsAreKeptAsTheyAre() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            try await trial.publish(inProject: "other")
            let rule = "Details are returned unchanged."
            try trial.expect(
                try await trial.store.projectDetails(ofProject: StoreTrial.project),
                is: StoredProjectDetails(), "At first a project has empty details.")
            var all = ProjectDetails.Color.allCases.map { ProjectDetails(color: $0) }
            all += ProjectDetails.Environment.allCases.map { ProjectDetails(environment: $0) }
            all += ["", "a\0b", "é", "e\u{301}"].map { ProjectDetails(displayName: $0) }
            // The last details have no protection, since a publish follows.
            all += [1, 10].flatMap { number in
                [false, true].flatMap { flag in
                    [
                        ProjectProtection(requiredApprovals: number, selfApproval: flag),
                        ProjectProtection(
                            requiredApprovals: number, rollbackWithoutApproval: flag),
                    ]
                }
            }.map { ProjectDetails(protection: $0) }
            all += Self.intendedDifferences.map { ProjectDetails(intendedDifferences: $0) }
            all.append(
                ProjectDetails(displayName: "Shop", color: .red, environment: .production))
            for details in all {
                let stored = try await trial.setDetails(details)
                try trial.expect(stored.details, is: details, rule)
                let other = try await trial.reopen()
                try trial.expect(
                    try await other.projectDetails(ofProject: StoreTrial.project), is: stored, rule)
                try trial.expect(
                    try await other.snapshot().projectDetails, is: [StoreTrial.project: stored],
                    "A snapshot has the details of the projects whose details were set.")
            }
            try trial.expect(
                try await trial.store.projectDetails(ofProject: "other"),
                is: StoredProjectDetails(), "Details belong to one project.")
            try await trial.publish()
            let kept = try await trial.store.projectDetails(ofProject: StoreTrial.project)
            try trial.expect(kept?.details, is: all.last, "A publish does not change the details.")
            let cleared = try await trial.setDetails(ProjectDetails())
            let found = try await trial.reopen().projectDetails(ofProject: StoreTrial.project)
            try trial.expect(found, is: cleared, "Details can be removed.")
        }
    }

    /// There are no details before the first publish of a project.
    public func projectDetailsNeedAProject() async throws {
        try await onNewStore { trial in
            let rule = "Details need a published project."
            try await trial.expectError(.projectMissing, rule) { () throws(TemplateStoreError) in
                try await trial.setDetails(ProjectDetails(color: .red))
            }
            try trial.expect(
                try await trial.store.projectDetails(ofProject: StoreTrial.project), is: nil, rule)
            try trial.expect(
                try await trial.revision(), is: .zero, "A failed call makes no revision.")
        }
    }

    /// A change does not overwrite details that changed since its expected revision.
    public func projectDetailsReplaceTheExpectedOnesOnly() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let rule = "Details replace only the expected ones."
            let first = try await trial.setDetails(
                ProjectDetails(displayName: "a"), expecting: .zero)
            let second = try await trial.setDetails(
                ProjectDetails(displayName: "b"), expecting: first.revision)
            try trial.expect(
                first.revision < second.revision, "The revisions of details increase.",
                found: "\(first.revision), \(second.revision).")
            for revision in [StoreRevision.zero, first.revision] {
                try await trial.expectError(.projectDetailsMismatch, rule) {
                    () throws(TemplateStoreError) in
                    try await trial.setDetails(
                        ProjectDetails(displayName: "c"), expecting: revision)
                }
            }
            try trial.expect(
                try await trial.store.projectDetails(ofProject: StoreTrial.project), is: second,
                rule)
            try trial.expect(
                try await trial.revision(), is: second.revision, "A failed call makes no revision.")
        }
    }

    /// Of concurrent changes of the same details, exactly one succeeds.
    public func oneOfManyConcurrentProjectDetailsIsStored() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let rule = "One of many concurrent changes of details is stored."
            let stored = try await trial.onlyOneSucceeds(
                rule, elseFailing: .projectDetailsMismatch
            ) { store, number throws(TemplateStoreError) in
                try await store.setProjectDetails(
                    StoreTrial.detailsChange(
                        ProjectDetails(displayName: "\(number)"), expecting: .zero))
            }
            let found = try await trial.store.projectDetails(ofProject: StoreTrial.project)
            try trial.expect(found, is: stored, rule)
        }
    }

    /// Setting equal details is not a change.
    public func equalProjectDetailsAreNoChange() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let rule = "Equal details are not a change."
            let before = try await trial.store.snapshot()
            let empty = try await trial.setDetails(ProjectDetails())
            try trial.expect(empty, is: StoredProjectDetails(), rule)
            try trial.expect(try await trial.store.snapshot(), is: before, rule)
            let first = try await trial.setDetails(ProjectDetails(color: .blue))
            let second = try await trial.setDetails(
                ProjectDetails(color: .blue), expecting: first.revision)
            try trial.expect(second, is: first, rule)
            try trial.expect(try await trial.revision(), is: first.revision, rule)
        }
    }

    /// A change of details is in the change feed and has an audit entry.
    public func projectDetailsAreInTheAuditTrail() async throws {
        try await onNewStore { trial in
            let before = try await trial.publish().revision
            let stored = try await trial.setDetails(
                ProjectDetails(displayName: "Shop", color: .red, environment: .production))
            let cleared = try await trial.setDetails(ProjectDetails())
            let rule = "A change of details is in the feed and in the audit trail."
            let subject = StoreChange.Subject.projectDetails(project: StoreTrial.project)
            let changes = try await trial.next(2, of: trial.store.changes(since: before))
            try trial.expect(
                changes,
                is: [
                    StoreChange(subject, revision: stored.revision),
                    StoreChange(subject, revision: cleared.revision),
                ], rule)
            let entries = try await trial.reopen().auditEntries(
                inProject: StoreTrial.project, matching: AuditQuery(limit: 2))
            let details: [(StoredProjectDetails, String?)] = [
                (cleared, nil), (stored, "Shop, RED, PRODUCTION"),
            ]
            let expected = details.map { details, text in
                AuditEntry(
                    revision: details.revision, project: StoreTrial.project, date: StoreTrial.date,
                    actor: "owner", action: .setProjectDetails, subject: StoreTrial.project,
                    detail: text)
            }
            try trial.expect(entries, is: expected, rule)
        }
    }
}

extension StoreTrial {
    static func detailsChange(
        _ details: ProjectDetails, expecting revision: StoreRevision? = nil
    ) -> ProjectDetailsChange {
        ProjectDetailsChange(
            project: project, details: details, expectedRevision: revision, date: date,
            actor: "owner")
    }

    @discardableResult
    fileprivate func setDetails(
        _ details: ProjectDetails, expecting revision: StoreRevision? = nil
    ) async throws(TemplateStoreError) -> StoredProjectDetails {
        try await store.setProjectDetails(Self.detailsChange(details, expecting: revision))
    }
}
