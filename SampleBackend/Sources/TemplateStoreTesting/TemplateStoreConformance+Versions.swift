import Foundation
import TemplateStore
import Templates

extension TemplateStoreConformance {
    /// The checks of the list of versions and of rollbacks.
    static var versionChecks: [Check] {
        [
            Check("versionsAreListedNewestFirstByPage", Self.versionsAreListedNewestFirstByPage),
            Check("versionsAreFilteredByNumberAndTime", Self.versionsAreFilteredByNumberAndTime),
            Check("aRollbackPublishesOlderContentAgain", Self.aRollbackPublishesOlderContentAgain),
            Check("aRollbackNeedsAnOlderVersion", Self.aRollbackNeedsAnOlderVersion),
            Check(
                "aRollbackReplacesOnlyTheExpectedVersion",
                Self.aRollbackReplacesOnlyTheExpectedVersion),
            Check("rollbacksAndPublishesGoTogether", Self.rollbacksAndPublishesGoTogether),
        ]
    }

    /// Versions are listed newest first, page by page.
    public func versionsAreListedNewestFirstByPage() async throws {
        try await onNewStore { trial in
            let empty = try await trial.store.versions(
                inProject: StoreTrial.project, matching: VersionQuery())
            try trial.expect(
                empty, is: VersionPage(versions: [], nextVersion: nil),
                "A project without a publish has no versions.")
            var expected: [TemplateVersion] = []
            for number in 1...65 {
                expected.insert(try await trial.publish("\(number)").version, at: 0)
            }
            for limit in [1, 7, 30, 64, 65, 66, 300] {
                var query = VersionQuery(limit: limit)
                var found: [TemplateVersion] = []
                for _ in 0...65 {
                    let page = try await trial.store.versions(
                        inProject: StoreTrial.project, matching: query)
                    try trial.expect(
                        page.versions.count <= limit, "A page has at most the requested number.",
                        found: "\(page.versions.count) instead of \(limit).")
                    found += page.versions
                    query.endVersion = page.nextVersion
                    if page.nextVersion == nil { break }
                }
                try trial.expect(
                    found, is: expected, "The pages have all versions once, newest first.")
            }
        }
    }

    /// Versions are filtered by number, inclusive, and by time with an exclusive end.
    public func versionsAreFilteredByNumberAndTime() async throws {
        try await onNewStore { trial in
            let dates = (0..<10).map { StoreTrial.date + Double($0) }
            for date in dates { try await trial.publish(date: date) }
            let rows: [(VersionQuery, [Int])] = [
                (VersionQuery(endVersion: 3), [3, 2, 1]),
                (VersionQuery(endVersion: 0), []),
                (VersionQuery(endVersion: 99), Array((1...10).reversed())),
                (VersionQuery(startTime: dates[7]), [10, 9, 8]),
                (VersionQuery(startTime: dates[7] + 0.001), [10, 9]),
                (VersionQuery(endTime: dates[2]), [2, 1]),
                (VersionQuery(endTime: dates[2] + 0.001), [3, 2, 1]),
                (VersionQuery(startTime: dates[3], endTime: dates[5]), [5, 4]),
                (VersionQuery(startTime: dates[5], endTime: dates[5]), []),
                (VersionQuery(startTime: dates[5], endTime: dates[3]), []),
                (VersionQuery(endVersion: 5, startTime: dates[3], endTime: dates[9]), [5, 4]),
                (
                    VersionQuery(startTime: .distantPast, endTime: .distantFuture),
                    Array((1...10).reversed())
                ),
            ]
            for (query, expected) in rows {
                let page = try await trial.store.versions(
                    inProject: StoreTrial.project, matching: query)
                try trial.expect(
                    page.versions.map(\.number), is: expected,
                    "A list matches its query: \(query).")
                try trial.expect(page.nextVersion, is: nil, "A complete list has no next page.")
            }
            let page = try await trial.store.versions(
                inProject: StoreTrial.project,
                matching: VersionQuery(limit: 2, startTime: dates[2], endTime: dates[8]))
            try trial.expect(page.versions.map(\.number), is: [8, 7], "A page obeys the filters.")
            try trial.expect(page.nextVersion, is: 6, "The next page begins with the next version.")
        }
    }

    /// A rollback publishes the content of an older version as a new one.
    public func aRollbackPublishesOlderContentAgain() async throws {
        try await onNewStore { trial in
            for content in ["one", "two", "three"] { try await trial.publish(content) }
            let user = TemplateVersion.User(name: "operator")
            let date = StoreTrial.date + 60
            let stored = try await trial.store.rollBack(
                to: 1, inProject: StoreTrial.project, user: user, date: date)
            let rule = "A rollback publishes an older version as a new one."
            try trial.expect(StoreTrial.text(stored.content), is: "one", rule)
            try trial.expect(
                stored.version,
                is: TemplateVersion(
                    number: 4, updateTime: date, updateUser: user, updateType: .rollback,
                    sourceVersion: 1), rule)
            let found = try await trial.store.template(version: nil, inProject: StoreTrial.project)
            try trial.expect(found, is: stored, rule)
        }
    }

    /// A rollback needs a stored version that is older than the current one.
    public func aRollbackNeedsAnOlderVersion() async throws {
        try await onNewStore { trial in
            let rows: [(TemplateStoreError.Code, [Int])] = [
                (.projectMissing, [0, 1]), (.versionMissing, [-1, 0, 2, 3, .max]),
            ]
            for (code, numbers) in rows {
                for number in numbers {
                    try await trial.expectError(
                        code, "A rollback needs an older version than \(number)."
                    ) { () throws(TemplateStoreError) in
                        _ = try await trial.store.rollBack(
                            to: number, inProject: StoreTrial.project, user: .init(),
                            date: StoreTrial.date)
                    }
                }
                for _ in 0..<2 where code == .projectMissing { try await trial.publish() }
            }
            let page = try await trial.store.versions(
                inProject: StoreTrial.project, matching: VersionQuery())
            try trial.expect(page.versions.count, is: 2, "A rollback that fails stores nothing.")
        }
    }

    /// Of concurrent rollbacks from one version exactly one succeeds, and none after another
    /// publish.
    public func aRollbackReplacesOnlyTheExpectedVersion() async throws {
        try await onNewStore { trial in
            try await trial.publish("first")
            try await trial.publish("second")
            let store = trial.store
            for current in 2..<12 {
                let done = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            do throws(TemplateStoreError) {
                                _ = try await store.rollBack(
                                    to: 1, inProject: StoreTrial.project,
                                    expecting: .version(current), user: .init(),
                                    date: StoreTrial.date)
                                return 1
                            } catch {
                                guard error.code == .versionMismatch else { throw error }
                                return 0
                            }
                        }
                    }
                    return try await group.reduce(0, +)
                }
                try trial.expect(
                    done, is: 1, "Of concurrent rollbacks from one version, one succeeds.")
            }
            for expected in [0, 11, 13, .max] {
                try await trial.expectError(
                    .versionMismatch, "A rollback from version \(expected) needs it to be current."
                ) { () throws(TemplateStoreError) in
                    _ = try await store.rollBack(
                        to: 1, inProject: StoreTrial.project, expecting: .version(expected),
                        user: .init(), date: StoreTrial.date)
                }
            }
            let page = try await store.versions(
                inProject: StoreTrial.project, matching: VersionQuery(limit: 1))
            try trial.expect(
                page.versions.first?.number, is: 12, "A refused rollback stores nothing.")
        }
    }

    /// Rollbacks concurrent with other publishes succeed once each.
    public func rollbacksAndPublishesGoTogether() async throws {
        try await onNewStore { trial in
            try await trial.publish("first")
            try await trial.publish("second")
            let store = trial.store
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for turn in 0..<20 {
                        _ = try await StoreTrial.publishWithRetry(in: store, "\(turn)")
                    }
                }
                group.addTask {
                    for _ in 0..<20 {
                        do throws(TemplateStoreError) {
                            _ = try await store.rollBack(
                                to: 1, inProject: StoreTrial.project, user: .init(),
                                date: StoreTrial.date)
                        } catch {
                            // The only allowed error reports that other publishes interfered.
                            guard error.code == .versionMismatch else { throw error }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let page = try await trial.store.versions(
                inProject: StoreTrial.project, matching: VersionQuery())
            let rule = "Rollbacks among publishes leave no gap."
            let count = page.versions.count
            try trial.expect(page.versions.map(\.number), is: Array((1...count).reversed()), rule)
            for version in page.versions where version.updateType == .rollback {
                let found = try await store.template(
                    version: version.number, inProject: StoreTrial.project)
                try trial.expect(StoreTrial.text(found?.content), is: "first", rule)
            }
            let publishes = page.versions.count { $0.updateType != .rollback }
            try trial.expect(publishes, is: 22, "A rollback removes no version.")
        }
    }
}
