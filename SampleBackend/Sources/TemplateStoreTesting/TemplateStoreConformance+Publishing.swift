import Foundation
import TemplateStore
import Templates

extension TemplateStoreConformance {
    static var publishingChecks: [Check] {
        [
            Check("theFirstPublishMakesVersionOne", Self.theFirstPublishMakesVersionOne),
            Check(
                "aPublishThatExpectsAnotherVersionStoresNothing",
                Self.aPublishThatExpectsAnotherVersionStoresNothing),
            Check(
                "aForcedPublishReplacesWhateverThereIs",
                Self.aForcedPublishReplacesWhateverThereIs),
            Check("oneOfManyPublishersWins", Self.oneOfManyPublishersWins),
            Check("publishersThatTryAgainLeaveNoGap", Self.publishersThatTryAgainLeaveNoGap),
            Check("contentIsKeptByteForByte", Self.contentIsKeptByteForByte),
            Check("allThatIsSaidOfAVersionIsKept", Self.allThatIsSaidOfAVersionIsKept),
            Check("projectsAreApart", Self.projectsAreApart),
            Check("theNewestVersionsAreKept", Self.theNewestVersionsAreKept),
        ]
    }

    /// The first publish expects version 0 and creates version 1.
    public func theFirstPublishMakesVersionOne() async throws {
        try await onNewStore { trial in
            let rule = "The first publish expects version 0 and makes version 1."
            let none = try await trial.store.template(version: nil, inProject: StoreTrial.project)
            try trial.expect(none, is: nil, "There is no template before the first publish.")
            let template = try await trial.publish("{\"a\":1}", expecting: .version(0))
            try trial.expect(template.version.number, is: 1, rule)
            try trial.expect(template.project, is: StoreTrial.project, rule)
            try trial.expect(template.revision > .zero, rule, found: "\(template.revision)")
            for version in [nil, 1] {
                let found = try await trial.store.template(
                    version: version, inProject: StoreTrial.project)
                try trial.expect(found, is: template, "A published version can be read.")
            }
            for version in [-1, 0, 2, .max] {
                let found = try await trial.store.template(
                    version: version, inProject: StoreTrial.project)
                try trial.expect(found, is: nil, "A version that never existed is nil.")
            }
        }
    }

    /// A publish that expects another version fails with the current one, and stores nothing.
    public func aPublishThatExpectsAnotherVersionStoresNothing() async throws {
        try await onNewStore { trial in
            let rule = "A publish that expects another version fails with the current one."
            let first = try await trial.expectError(.versionMismatch, rule) {
                () throws(TemplateStoreError) in
                _ = try await trial.publish(expecting: .version(1))
            }
            try trial.expect(first.currentVersion, is: 0, rule)
            try await trial.publish("{\"a\":1}")
            let before = try await trial.store.snapshot()
            for expected in [-1, 0, 2, .max] {
                let error = try await trial.expectError(.versionMismatch, rule) {
                    () throws(TemplateStoreError) in
                    _ = try await trial.publish("{\"a\":2}", expecting: .version(expected))
                }
                try trial.expect(error.currentVersion, is: 1, rule)
            }
            let nothing = "A publish that fails stores nothing."
            try trial.expect(try await trial.store.snapshot(), is: before, nothing)
            let audit = try await trial.store.auditEntries(
                inProject: StoreTrial.project, matching: AuditQuery())
            try trial.expect(audit.count, is: 1, nothing)
            let page = try await trial.store.versions(
                inProject: StoreTrial.project, matching: VersionQuery())
            try trial.expect(page.versions.map(\.number), is: [1], nothing)
        }
    }

    /// A publish without an expectation replaces any version.
    public func aForcedPublishReplacesWhateverThereIs() async throws {
        try await onNewStore { trial in
            for number in 1...3 {
                let template = try await trial.publish("\(number)", expecting: .any)
                try trial.expect(
                    template.version.number, is: number, "A forced publish makes the next version.")
            }
            let current = try await trial.store.template(
                version: nil, inProject: StoreTrial.project)
            try trial.expect(
                StoreTrial.text(current?.content), is: "3", "The last publish is current.")
        }
    }

    /// Of many concurrent publishers that expect the same version, exactly one wins.
    public func oneOfManyPublishersWins() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let rule = "Of 64 publishers that expect the same version exactly one wins."
            let winner = try await trial.onlyOneSucceeds(
                rule, of: 64, elseFailing: .versionMismatch
            ) { store, number throws(TemplateStoreError) in
                try await store.publish(
                    StoreTrial.submission("\(number)", expecting: .version(1)))
            }
            let current = try await trial.store.template(
                version: nil, inProject: StoreTrial.project)
            try trial.expect(current, is: winner, rule)
        }
    }

    /// Publishers that read the version and retry create versions without a gap.
    public func publishersThatTryAgainLeaveNoGap() async throws {
        try await onNewStore { trial in
            let other = try await trial.reopen()
            let stores = [trial.store, other]
            let templates = try await withThrowingTaskGroup(of: [StoredTemplate].self) { group in
                for publisher in 0..<8 {
                    group.addTask {
                        var templates: [StoredTemplate] = []
                        for turn in 0..<50 {
                            templates.append(
                                try await StoreTrial.publishWithRetry(
                                    in: stores[publisher % 2], "\(publisher) \(turn)"))
                        }
                        return templates
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let sorted = templates.sorted { $0.version.number < $1.version.number }
            try trial.expect(
                sorted.map(\.version.number), is: Array(1...400),
                "8 publishers with 50 publishes each make the versions 1 to 400.")
            let revisions = sorted.map(\.revision)
            try trial.expect(
                zip(revisions, revisions.dropFirst()).allSatisfy { $0 < $1 },
                "The revisions increase with the versions.", found: "\(revisions)")
            for template in sorted.suffix(TemplateStoreLimits.keptVersions) {
                let found = try await other.template(
                    version: template.version.number, inProject: StoreTrial.project)
                try trial.expect(found, is: template, "Each version has its published content.")
            }
        }
    }

    /// Any content is returned byte for byte.
    public func contentIsKeptByteForByte() async throws {
        try await onNewStore { trial in
            let contents = [
                Data(), Data([0]), Data("{\"a\":\"\\u0000\"}".utf8), Data([0xEF, 0xBB, 0xBF]),
                Data((0...255).map { UInt8($0) }), Data(" {\r\n\t\"é\":\"e\u{301}\"} ".utf8),
                Data(repeating: 0x41, count: 1_000_000),
            ]
            for (index, content) in contents.enumerated() {
                var submission = StoreTrial.submission()
                submission.content = content
                let stored = try await trial.store.publish(submission)
                let other = try await trial.reopen()
                let found = try await other.template(
                    version: stored.version.number, inProject: StoreTrial.project)
                try trial.expect(
                    stored.content == content && found?.content == content,
                    "The content is returned byte for byte.", found: "other bytes, row \(index).")
            }
        }
    }

    /// All metadata of a version is stored, with its time to the millisecond.
    public func allThatIsSaidOfAVersionIsKept() async throws {
        try await onNewStore { trial in
            let long = String(repeating: "x", count: 1_024)
            let texts = [nil, "", "plain", "a\0b", "e\u{301} é 😀", long]
            for (index, text) in texts.enumerated() {
                let milliseconds = Int64(1_700_000_000_123) + Int64(index)
                let submission = TemplateSubmission(
                    project: StoreTrial.project, content: Data("{}".utf8), expectation: .any,
                    date: Date(millisecondsSince1970: milliseconds) + 0.000_2,
                    user: TemplateVersion.User(name: text, email: text, imageURL: text),
                    description: text, origin: .console, updateType: .forcedUpdate,
                    sourceVersion: nil)
                let expected = TemplateVersion(
                    number: index + 1, updateTime: Date(millisecondsSince1970: milliseconds),
                    updateUser: submission.user, description: text, updateOrigin: .console,
                    updateType: .forcedUpdate)
                let rule = "All metadata of a version is stored."
                let stored = try await trial.store.publish(submission)
                try trial.expect(stored.version, is: expected, rule)
                let found = try await trial.reopen().template(
                    version: nil, inProject: StoreTrial.project)
                try trial.expect(found?.version, is: expected, rule)
                try trial.expect(
                    found?.version.description.map { Array($0.utf8) },
                    is: text.map { Array($0.utf8) }, "A text is returned byte for byte.")
            }
        }
    }

    /// Projects do not see each other's versions.
    public func projectsAreApart() async throws {
        try await onNewStore { trial in
            let names = ["a", "A", "a-b", "a/b", "a\0", "a%", "b", ""]
            for name in names { try await trial.publish(name, inProject: name) }
            try await trial.publish("second", inProject: "a")
            for name in names {
                let found = try await trial.store.template(version: nil, inProject: name)
                let rule = "A project has its own versions."
                try trial.expect(found?.project, is: name, rule)
                try trial.expect(found?.version.number, is: name == "a" ? 2 : 1, rule)
                try trial.expect(
                    StoreTrial.text(found?.content), is: name == "a" ? "second" : name, rule)
            }
            let missing = try await trial.store.template(version: nil, inProject: "a%%")
            try trial.expect(missing, is: nil, "A project without a publish has no template.")
        }
    }

    /// The newest 300 versions are kept; the audit trail has all of them.
    public func theNewestVersionsAreKept() async throws {
        try await onNewStore { trial in
            let kept = TemplateStoreLimits.keptVersions
            for number in 1...(kept + 2) { try await trial.publish("\(number)") }
            let page = try await trial.store.versions(
                inProject: StoreTrial.project, matching: VersionQuery())
            let rule = "The newest \(kept) versions are kept, and no others."
            try trial.expect(page.versions.map(\.number), is: (3...(kept + 2)).reversed(), rule)
            try trial.expect(page.nextVersion, is: nil, rule)
            for number in [1, 2, 3, kept + 2] {
                let found = try await trial.store.template(
                    version: number, inProject: StoreTrial.project)
                try trial.expect(
                    StoreTrial.text(found?.content), is: number < 3 ? nil : "\(number)", rule)
            }
            let entries = try await trial.store.auditEntries(
                inProject: StoreTrial.project, matching: AuditQuery(limit: 1_000))
            try trial.expect(
                entries.count, is: kept + 2, "The audit trail has all versions.")
            try await trial.expectError(.versionMissing, "A dropped version is missing.") {
                () throws(TemplateStoreError) in
                _ = try await trial.store.rollBack(
                    to: 2, inProject: StoreTrial.project, user: .init(), date: StoreTrial.date)
            }
        }
    }
}
