internal import ActiveConfig
internal import Foundation

extension StoreConformanceRun {
    /// The longest allowed name of a record, with all allowed characters.
    private static var longestName: String {
        let characters = "abcdefghijklmnopqrstuvwxyz-0123456789"
        return String((characters + characters + characters).prefix(80))
    }

    /// Checks the records besides the configurations.
    func checkRecords(_ checks: inout ConformanceChecks) async {
        guard hasRecords else { return }
        let rule =
            "A store keeps records: what waits for activation, and those of the installation. One that "
            + "does not is checked without `.records`."
        var isSupported = true
        await checks.group(rule) { checks in
            do {
                _ = try await makeStore().record(.clientState(named: "a"))
            } catch is StoreRecord.UnsupportedError {
                isSupported = false
                checks.expect(false, rule, found: "`record(_:)` throws UnsupportedError.")
            }
        }
        guard isSupported else { return }
        await checkPending(&checks)
        await checkClientState(&checks)
    }

    /// Checks the client's own records.
    private func checkClientState(_ checks: inout ConformanceChecks) async {
        let rule = "Each record is kept under its name."
        await checks.group(rule) { checks in
            let place = try await suite.newPlace()
            let store = try await suite.open(place)
            let longest = Self.longestName
            let names = ["a", "b", "a-1", "0", longest, String(longest.dropLast())]
            for name in names {
                checks.expect(
                    try store.record(.clientState(named: name)) == nil,
                    "A record that was never written is nil.", found: "\(name) has one.")
                try store.updateRecord(.clientState(named: name)) { old in
                    checks.expect(
                        old == nil, "A change of a new record starts from nil.",
                        found: "\(name) starts from another one.")
                    return Data(name.utf8)
                }
            }
            // Any bytes, including none.
            let contents = [Data(0...255), Data()]
            for content in contents {
                var old: Data?
                try store.updateRecord(.clientState(named: "a")) { data in
                    old = data
                    return content
                }
                checks.expect(
                    old != nil && old != content, "A change starts from the record.",
                    found: "\(old.map { "\($0.count) other bytes" } ?? "nil").")
                checks.expect(
                    try store.record(.clientState(named: "a")) == content,
                    "A record comes back as it was.",
                    found: "another one, of \(content.count) bytes.")
            }
            let reopened = suite.isDurable ? try await suite.open(place) : store
            for name in names.dropFirst() {
                let found = try reopened.record(.clientState(named: name))
                let text = found.map { String(decoding: $0, as: UTF8.self) }
                checks.expect(text == name, rule, found: "\(name) has \(text ?? "nil").")
            }
            try store.updateRecord(.clientState(named: "b")) { _ in nil }
            checks.expect(
                try store.record(.clientState(named: "b")) == nil
                    && store.record(.clientState(named: "a-1")) == Data("a-1".utf8),
                "A change to nil removes the record, and no other one.",
                found: "it is still there, or another one is not.")
            try await checkRecordsBesideConfigurations(&checks, store)
        }
        await checkClientStateContention(&checks)
    }

    private func checkRecordsBesideConfigurations(
        _ checks: inout ConformanceChecks, _ store: any ActiveConfigStore
    ) async throws {
        for id in [nil, "a-1"] {
            checks.expect(
                store.lastKnownActiveConfiguration(forUserID: id) == nil,
                "A record is no configuration.", found: "one of \(UserID(id)).")
            try store.persistConfiguration(Self.configuration(of: "user"), forUserID: id)
            try store.persistConfiguration(nil, forUserID: id)
        }
        checks.expect(
            try store.record(.clientState(named: "a-1")) == Data("a-1".utf8),
            "Records stay when configurations are removed.", found: "a-1 is gone.")
    }

    /// Checks that no change of a record is lost, with a store per task if the place can be
    /// reopened.
    private func checkClientStateContention(_ checks: inout ConformanceChecks) async {
        let rule = "Concurrent changes of a record lose none."
        let (tasks, changes) = (8, 25)
        await checks.group(rule) { checks in
            let place = try await suite.newPlace()
            let store = try await suite.open(place)
            try await withThrowingTaskGroup { group in
                for _ in 0..<tasks {
                    group.addTask {
                        let own = suite.isDurable ? try await suite.open(place) : store
                        for _ in 0..<changes {
                            try own.updateRecord(.clientState(named: "count")) {
                                ($0 ?? Data()) + [1]
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let count = try store.record(.clientState(named: "count"))?.count ?? 0
            checks.expect(
                count == tasks * changes, rule,
                found: "\(tasks * changes - count) of \(tasks * changes) are.")
        }
    }
}
