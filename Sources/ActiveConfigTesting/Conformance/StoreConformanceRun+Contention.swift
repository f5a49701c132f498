internal import ActiveConfig

extension StoreConformanceRun {
    /// Checks that a reopened place has what was persisted.
    func checkReopening(_ checks: inout ConformanceChecks) async {
        guard suite.isDurable else { return }
        let rule = "Persisted configurations are there in a newly opened store."
        await checks.group(rule) { checks in
            let place = try await suite.newPlace()
            let store = try await suite.open(place)
            let owners = ConformanceSamples.userIDs.enumerated().map {
                (id: $1, owner: "user \($0)")
            }
            for (id, owner) in owners {
                try store.persistConfiguration(
                    Self.configuration(of: owner, entityTag: "\"\(owner)\""), forUserID: id)
            }
            let reopened = try await suite.open(place)
            for (id, owner) in owners {
                let found = reopened.lastKnownActiveConfiguration(forUserID: id)
                checks.expect(
                    found == Self.configuration(of: owner), rule,
                    found: "\(Self.owner(of: found)) for \(ConformanceSamples.describe(id)).")
                guard hasOwn else { continue }
                let tag = reopened.ownConfiguration(forUserID: id)?.entityTag
                checks.expect(
                    tag == "\"\(owner)\"", "The entity tag is there in a newly opened store.",
                    found: "\(tag ?? "none") for \(ConformanceSamples.describe(id)).")
            }
            try reopened.persistConfiguration(nil, forUserID: "1")
            try reopened.persistConfiguration(nil, forUserID: nil)
            checks.expect(
                try await suite.open(place).lastKnownActiveConfiguration(forUserID: "1") == nil,
                "Removed configurations are not there in a newly opened store.", found: "it is.")
        }
    }

    /// Checks that under contention a reader gets a whole configuration of the right user.
    func checkContention(
        _ checks: inout ConformanceChecks, operationsPerTask: Int
    ) async {
        let rule = "Under contention a reader gets a whole configuration of the user it asked for."
        await checks.group(rule) { checks in
            let store = try await makeStore()
            let owners = (0..<4).map { "user \($0)" }
            for owner in owners {
                try store.persistConfiguration(Self.configuration(of: owner), forUserID: owner)
            }
            let findings = try await withThrowingTaskGroup(of: Set<String>.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        try contend(
                            in: store, for: owners, task: task, operations: operationsPerTask)
                    }
                }
                return try await group.reduce(into: Set()) { $0.formUnion($1) }
            }
            for finding in findings.sorted() { checks.expect(false, rule, found: finding) }
        }
    }

    /// Checks that exactly one of many concurrent tasks records the first download, with a store
    /// per task if the place can be reopened.
    func checkFirstDownloadFinishedContention(_ checks: inout ConformanceChecks, rounds: Int) async
    {
        guard hasFirstDownloadFinished else { return }
        let rule = "Of many who record a first download at once, one is the first."
        await checks.group(rule) { checks in
            for _ in 0..<rounds {
                let place = try await suite.newPlace()
                let shared = try await suite.open(place)
                let count = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 0..<8 {
                        let store = suite.isDurable ? try await suite.open(place) : shared
                        group.addTask { try store.recordFirstDownloadFinished() }
                    }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                checks.expect(count == 1, rule, found: "\(count) of 8 are.")
            }
        }
    }

    /// - Returns: The findings, empty when there are none.
    private func contend(
        in store: any ActiveConfigStore, for owners: [String], task: Int, operations: Int
    ) throws -> Set<String> {
        var findings: Set<String> = []
        for operation in 0..<operations {
            let owner = owners[(task + operation / 4) % owners.count]
            if operation % 4 == 0 {
                let number = task * operations + operation
                try store.persistConfiguration(
                    Self.configuration(of: owner, number: number, entityTag: "\(number)"),
                    forUserID: owner)
                continue
            }
            let isOwn = hasOwn && operation.isMultiple(of: 2)
            let found =
                isOwn
                ? store.ownConfiguration(forUserID: owner)
                : store.lastKnownActiveConfiguration(forUserID: owner)
            guard let found else {
                findings.insert("nothing, where a configuration had been persisted.")
                continue
            }
            let number = found.meta["number"]?.integerValue ?? -1
            if Self.owner(of: found) != owner {
                findings.insert("\(Self.owner(of: found)) where \(owner) was asked for.")
            } else if found != Self.configuration(of: owner, number: number) {
                findings.insert("a mix of two configurations.")
            } else if isOwn, let tag = found.entityTag, tag != "\(number)" {
                findings.insert("the entity tag of another configuration.")
            }
        }
        return findings
    }
}
