internal import ActiveConfig
internal import Foundation

extension StoreConformanceRun {
    /// The longest name that a record may have, with all characters of one.
    private static var longestName: String {
        let characters = "abcdefghijklmnopqrstuvwxyz-0123456789"
        return String((characters + characters + characters).prefix(80))
    }

    /// Checks a store that keeps the client's own records; others have nothing to check.
    func checkClientState(_ checks: inout ConformanceChecks) async {
        let rule = "Each record is kept under its name."
        await checks.group(rule) { checks in
            let place = try await suite.newPlace()
            let opened = try await suite.open(place)
            guard let store = opened as? any ClientStateStore else { return }
            let longest = Self.longestName
            let names = ["a", "b", "a-1", "0", longest, String(longest.dropLast())]
            for name in names {
                checks.expect(
                    try store.clientState(named: name) == nil,
                    "A record that was never written is nil.", found: "\(name) has one.")
                try store.updateClientState(named: name) { old in
                    checks.expect(
                        old == nil, "A change of a new record starts from nil.",
                        found: "\(name) starts from another one.")
                    return Data(name.utf8)
                }
            }
            // Any bytes, and none at all.
            let contents = [Data(0...255), Data()]
            for content in contents {
                var old: Data?
                try store.updateClientState(named: "a") { data in
                    old = data
                    return content
                }
                checks.expect(
                    old != nil && old != content, "A change starts from the record.",
                    found: "\(old.map { "\($0.count) other bytes" } ?? "nil").")
                checks.expect(
                    try store.clientState(named: "a") == content, "A record comes back as it was.",
                    found: "another one, of \(content.count) bytes.")
            }
            let reopened = suite.isDurable ? try await suite.open(place) : store
            for name in names.dropFirst() {
                let found = try (reopened as? any ClientStateStore)?.clientState(named: name)
                let text = found.map { String(decoding: $0, as: UTF8.self) }
                checks.expect(text == name, rule, found: "\(name) has \(text ?? "nil").")
            }
            try store.updateClientState(named: "b") { _ in nil }
            checks.expect(
                try store.clientState(named: "b") == nil
                    && store.clientState(named: "a-1") == Data("a-1".utf8),
                "A change to nil removes the record, and no other one.",
                found: "it is still there, or another one is not.")
            try await checkRecordsBesideConfigurations(&checks, store)
        }
        await checkClientStateContention(&checks)
    }

    private func checkRecordsBesideConfigurations(
        _ checks: inout ConformanceChecks, _ store: any ClientStateStore
    ) async throws {
        for id in [nil, "a-1"] {
            checks.expect(
                store.lastKnownActiveConfiguration(forUserID: id) == nil,
                "A record is no configuration.", found: "one of \(UserID(id)).")
            try store.persistConfiguration(Self.configuration(of: "user"), forUserID: id)
            try store.persistConfiguration(nil, forUserID: id)
        }
        checks.expect(
            try store.clientState(named: "a-1") == Data("a-1".utf8),
            "Records stay when configurations are removed.", found: "a-1 is gone.")
    }

    /// Checks that no change of a record is lost, each task with a store of its own if the place can be
    /// opened again.
    private func checkClientStateContention(_ checks: inout ConformanceChecks) async {
        let rule = "Concurrent changes of a record lose none."
        let (tasks, changes) = (8, 25)
        await checks.group(rule) { checks in
            let place = try await suite.newPlace()
            let first = try await suite.open(place)
            guard let store = first as? any ClientStateStore else { return }
            try await withThrowingTaskGroup { group in
                for _ in 0..<tasks {
                    group.addTask {
                        let opened = suite.isDurable ? try await suite.open(place) : first
                        let own = opened as? any ClientStateStore
                        for _ in 0..<changes {
                            try own?.updateClientState(named: "count") { ($0 ?? Data()) + [1] }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let count = try store.clientState(named: "count")?.count ?? 0
            checks.expect(
                count == tasks * changes, rule,
                found: "\(tasks * changes - count) of \(tasks * changes) are.")
        }
    }
}
