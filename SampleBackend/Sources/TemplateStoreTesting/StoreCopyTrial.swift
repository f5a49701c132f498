import Foundation
package import TemplateStore
import Templates

/// Copies stores in tests.
package enum StoreCopyTrial {
    /// The project with the most content.
    package static let project = "copy"

    /// A time without a fraction of a second.
    private static let date = StoreTrial.date

    /// Number of published versions of the project, some of which are dropped.
    private static let versions = TemplateStoreLimits.keptVersions + 5

    /// User IDs that are easily confused or corrupted.
    package static let users = ["1", "", "a/b%2F", "é", "e\u{301}", "\u{0}🙂", "../x"]

    /// Fills an empty store with content of every kind.
    package static func fill(_ store: any TemplateStore) async throws {
        let other = "ü/other"
        _ = try await store.setFirst(project, large: false)
        _ = try await store.setFirst(other, large: true)
        _ = try await store.setProjectDetails(
            ProjectDetailsChange(
                project: project,
                details: ProjectDetails(displayName: "Copy", color: .teal, environment: .staging),
                date: date, actor: "root"))
        try await store.createAndDeleteProjects()
        for name in ["first", "second"] {
            try await store.addWebhook(
                StoreTrial.webhook(
                    name, inProject: project,
                    topics: name == "first" ? [.publish] : [.publish, .changeRequest]))
        }
        for number in 2...versions {
            _ = try await store.publish(submission("{\"n\":\(number)}", to: project, number))
            guard number < 6 else { continue }
            let claimed = try await store.claimDeliveries(
                date: date + Double(number), until: date + 1_000, limit: 10)
            for delivery in claimed {
                // One delivery stays claimed, by a process that no longer exists when the copy is
                // used.
                if number == 5, delivery.webhook.url.contains("second") { continue }
                try await store.finish(
                    DeliveryAttempt(
                        at: delivery, outcome: number == 3 ? .failed : .delivered,
                        statusCode: 500 - number, error: number == 3 ? "no" : nil,
                        date: date + Double(number)))
            }
        }
        for user in users {
            try await store.setOverrides(pin("{\"S\":{\"u\":\"\(user.utf8.count)\"}}", user: user))
        }
        // Larger than an etcd request.
        try await store.setOverrides(pin(text(2_500_000), user: "large"))
        try await store.setOverrides(pin(nil, user: users[0]))
        for name in ["zeta", "alpha", "mid"] {
            try await store.addToken(
                StoreTrial.token(name, owner: "owner of \(name)"), actor: "root")
        }
        try await store.recordUses(["id of alpha": date + 61, "id of mid": date + 122])
        _ = try await store.revokeToken(id: "id of zeta", actor: "root", date: date + 5)
        for name in ["one", "two"] {
            try await store.addSession(
                StoreTrial.session(name, person: name == "one" ? nil : StoreTrial.person),
                actor: "root")
        }
        _ = try await store.removeSession(id: "id of one", actor: "root", date: date + 9)
        try await store.saveDrafts()
        try await store.saveChangeRequests()
    }

    /// Copies one store to another, and checks that all readable content is equal.
    ///
    /// - Throws: ``TemplateStoreConformanceFailure``, ``TemplateStoreError``.
    package static func copy(
        from source: any ArchivingStore, to target: any ArchivingStore
    ) async throws {
        let before = try await digest(of: source)
        let copy = try await StoreCopy.make(from: source, to: target)
        try expect(copy.digest == before, "A copy has the whole content of its source.")
        try expect(
            try await copy.digest.count(.projects) == source.snapshot().templates.count,
            "A copy counts its projects, also those in which nothing is published.")
        try expect(
            try await digest(of: target) == before, "Reading a copy returns the copied content.")
        try expect(try await digest(of: source) == before, "A copy does not change its source.")
    }

    /// Checks that a copy works as its source would: versions, audit trail, changes and deliveries.
    package static func checkUse(
        of copy: any ArchivingStore, like source: any ArchivingStore
    ) async throws {
        let query = VersionQuery(limit: 300)
        let versions = try await copy.versions(inProject: project, matching: query)
        try expect(
            try await versions == source.versions(inProject: project, matching: query),
            "A copy has the versions of its source.")
        for version in [nil, 6, self.versions, 5] {
            let mine = try await copy.template(version: version, inProject: project)
            let theirs = try await source.template(version: version, inProject: project)
            try expect(
                mine?.content == theirs?.content && mine?.version == theirs?.version,
                "A copy has the content of version \(version ?? 0).")
        }
        var trails: [[AuditEntry]] = []
        for store in [copy, source] {
            var trail: [AuditEntry] = []
            var before: StoreRevision?
            repeat {
                let page = try await store.auditEntries(
                    inProject: project, matching: AuditQuery(limit: 100, before: before))
                trail += page
                before = page.last?.revision
            } while before != nil
            try expect(
                zip(trail, trail.dropFirst()).allSatisfy { $0.revision > $1.revision },
                "The revisions of a copy's audit trail are in order.")
            trails.append(trail.map { $0.moved(to: .zero) })
        }
        try expect(trails[0] == trails[1], "A copy has the audit trail of its source.")
        let snapshot = try await copy.snapshot()
        let newest = try await copy.auditEntries(
            inProject: project, matching: AuditQuery(limit: 1)
        ).first
        try expect(
            newest?.revision == snapshot.revision, "The last entry is the last change of a copy.")
        let tokens = try await copy.tokens()
        try expect(try await tokens == source.tokens(), "A copy has the tokens of its source.")
        for name in ["empty", "again"] {
            let mine = try await copy.template(version: nil, inProject: name)
            let theirs = try await source.template(version: nil, inProject: name)
            try expect(
                mine != nil && mine?.version == theirs?.version
                    && mine?.content == theirs?.content, "A copy has the empty project \(name).")
            try expect(
                try await copy.projectDetails(ofProject: name)?.details
                    == source.projectDetails(ofProject: name)?.details,
                "A copy has the details of the empty project \(name).")
        }
        try expect(
            try await copy.template(version: nil, inProject: "gone") == nil,
            "A copy lacks a deleted project.")
        let current = try await source.template(version: nil, inProject: project)?.version.number
        let published = try await copy.publish(submission("{}", to: project, 1))
        try expect(
            published.version.number == (current ?? 0) + 1, "A copy continues its versions.")
        for try await change in copy.changes(since: snapshot.revision) {
            try expect(
                change.revision == published.revision,
                "The changes of a copy continue after those of its source.")
            break
        }
        let claimed = try await copy.claimDeliveries(
            date: date + 10_000, until: date + 20_000, limit: 10)
        try expect(
            Set(claimed.map(\.webhook.id)) == ["id of first", "id of second"],
            "The deliveries of a copy are unclaimed, and can be claimed.")
        let first = try await copy.publish(submission("{}", to: "gone", 1)).version.number
        try expect(first == 2, "A copy does not use a number of a deleted project again.")
    }

    package static func digest(
        of store: any ArchivingStore
    ) async throws(TemplateStoreError) -> ArchiveDigest {
        var digest = ArchiveDigest()
        try await store.openArchive().read { record throws(TemplateStoreError) in
            // A command that copies a store raises the version floor of the copy.
            if case .change(let entry, _) = record, try entry.versionFloor != nil { return }
            digest.add(record)
        }
        return digest
    }

    /// Checks that raised versions are above all others of the store and of its copies, for projects
    /// that exist, that are created later, and that have the name of a deleted one.
    ///
    /// - Throws: ``TemplateStoreConformanceFailure``, ``TemplateStoreError``.
    package static func checkRaisedVersions(
        of store: any ArchivingStore, copiedTo copy: any ArchivingStore
    ) async throws {
        for number in 1...3 {
            _ = try await store.publish(submission("{\"n\":\(number)}", to: project, number))
        }
        let raise = VersionRaise(date: date, actor: "root", reason: "test")
        let next = try await store.raiseVersions(raise)
        let seconds = VersionFloor.raised(above: 3, at: date)
        try expect(next == seconds + 1, "Versions continue above the seconds since 2020.")
        let published = try await store.publish(submission("{\"n\":4}", to: project, 4))
        try expect(published.version.number == next, "A publish gets the raised version.")
        let created = try await store.createProject(
            ProjectCreation(
                project: "new", details: ProjectDetails(isArchived: true), date: date,
                actor: "root"))
        try expect(created.version.number == next, "A project begins above the floor.")
        _ = try await store.deleteProject(
            ProjectDeletion(project: "new", date: date, actor: "root"))
        let again = try await store.publish(submission("{}", to: "new", 1))
        try expect(again.version.number == next + 1, "A deleted project's number is not reused.")
        let versions = try await store.versions(inProject: project, matching: VersionQuery())
        try expect(
            versions.versions.map(\.number) == [next, 3, 2, 1],
            "Raising the versions drops none.")
        // The store has the version next + 1.
        try expect(
            try await store.raiseVersions(raise) == next + 3,
            "Another raise in the same second is above the first and all versions.")
        let made = try await StoreCopy.make(from: store, to: copy, raising: raise)
        try expect(made.nextVersion == next + 4, "A copy continues above its source.")
        let first = try await copy.publish(submission("{}", to: "other", 1))
        try expect(first.version.number == next + 4, "A copy has the raised floor.")
        var later = raise
        later.date += 60
        try expect(
            try await copy.raiseVersions(later) == next + 60, "A later raise is of its time.")
        later.minimum = VersionFloor.maximumRequest
        try expect(
            try await copy.raiseVersions(later) > later.minimum,
            "Versions are above a given number.")
        let floor = try await copy.versionFloor()
        try expect(try await copy.snapshot().versionFloor == floor, "A snapshot has the floor.")
        // The clock of 2100 counts as wrong.
        later.date = Date(timeIntervalSince1970: 4_102_444_800)
        let wrong = try await copy.raiseVersions(later)
        try expect(wrong > floor + 1, "A raise by a wrong clock does not lower the numbers.")
        let newest = try await copy.publish(submission("{}", to: "other", 2))
        try expect(newest.version.number == wrong, "A publish follows a raise by a wrong clock.")
    }

    private static func expect(_ isKept: Bool, _ rule: String) throws {
        if !isKept { throw TemplateStoreConformanceFailure(rule: rule, finding: "a difference.") }
    }

    /// A text of many bytes that is not trivially compressible.
    fileprivate static func text(_ count: Int) -> String {
        "\"" + String(repeating: "0123456789abcdef", count: count / 16) + "\""
    }

    fileprivate static func submission(
        _ content: String, to project: String, _ number: Int
    ) -> TemplateSubmission {
        TemplateSubmission(
            project: project, content: Data(content.utf8), expectation: .any,
            date: date + Double(number) / 1_000,
            user: TemplateVersion.User(
                name: "n\(number)", email: number % 2 == 0 ? "e@x" : nil, imageURL: nil),
            description: number % 3 == 0 ? "v\(number)" : nil, origin: .console,
            updateType: number % 7 == 0 ? .rollback : .incrementalUpdate,
            sourceVersion: number % 7 == 0 ? number - 1 : nil)
    }

    private static func pin(_ content: String?, user: String) -> OverridesChange {
        OverridesChange(
            project: project, userID: user, content: content.map { Data($0.utf8) }, date: date,
            actor: "supporter")
    }
}

extension TemplateStore {
    fileprivate func setFirst(
        _ project: String, large: Bool
    ) async throws(TemplateStoreError) -> StoredTemplate {
        // Three parts in etcd.
        let content = large ? StoreCopyTrial.text(2_400_000) : "{}"
        return try await publish(StoreCopyTrial.submission(content, to: project, 1))
    }

    /// Creates "empty", archives it, deletes "gone" after a publish, and creates "again" twice.
    fileprivate func createAndDeleteProjects() async throws(TemplateStoreError) {
        let date = StoreTrial.date
        for name in ["empty", "again"] {
            _ = try await createProject(
                ProjectCreation(
                    project: name, details: ProjectDetails(color: .pink), date: date,
                    actor: "root"))
        }
        _ = try await publish(StoreCopyTrial.submission("{}", to: "gone", 1))
        for name in ["empty", "again", "gone"] {
            _ = try await setProjectDetails(
                ProjectDetailsChange(
                    project: name, details: ProjectDetails(isArchived: true), date: date,
                    actor: "root"))
        }
        for name in ["again", "gone"] {
            try await deleteProject(ProjectDeletion(project: name, date: date, actor: "root"))
        }
        _ = try await createProject(
            ProjectCreation(
                project: "again",
                details: ProjectDetails(
                    protection: ProjectProtection(requiredApprovals: 2, selfApproval: true)),
                date: date, actor: "root"))
    }

    /// Makes requests with long and short templates, and closes one.
    fileprivate func saveChangeRequests() async throws(TemplateStoreError) {
        for (id, count) in [("short", 10), ("long", 1_200_000), ("closed", 20)] {
            var request = StoreTrial.changeRequest("Request \(id)")
            request.add(StoreTrial.vote(.approve, by: "é", of: request))
            request.add(
                ChangeRequest.Comment(
                    author: .init(person: nil, actor: "ci"), text: "a\0b", path: "parameters.x",
                    date: StoreTrial.date))
            if id == "closed" {
                request.ending = ChangeRequest.Ending(
                    participant: .init(person: "Ada", actor: "ada"), date: StoreTrial.date)
            }
            _ = try await saveChangeRequest(
                StoreTrial.changeRequestSubmission(
                    request, id: id, inProject: StoreCopyTrial.project,
                    edited: StoreCopyTrial.text(count), expecting: .absent))
        }
    }

    fileprivate func saveDrafts() async throws(TemplateStoreError) {
        for (owner, project, count) in [("t1", "copy", 10), ("t2", "none/yet", 1_200_000)] {
            _ = try await saveDraft(
                DraftSubmission(
                    owner: owner, project: project, baseVersion: 3,
                    content: Data(StoreCopyTrial.text(count).utf8), expectation: .any,
                    date: StoreTrial.date))
        }
        // Saving finds the drafts above expired, and marks them.
        _ = try await saveDraft(
            DraftSubmission(
                owner: "t3", project: "copy", baseVersion: 0, content: Data("{}".utf8),
                expectation: .any, date: StoreTrial.date + TemplateStoreLimits.draftLifetime + 60))
    }
}
