internal import ActiveConfig

extension StoreConformanceRun {
    /// Checks pending configurations.
    func checkPending(_ checks: inout ConformanceChecks) async {
        await checks.group("What waits stands beside the user's own configuration.") { checks in
            let place = try await suite.newPlace()
            let store = try await suite.open(place)
            let own = Self.configuration(of: "own", entityTag: "\"own\"")
            let pending = Self.configuration(of: "pending", number: 1, entityTag: "\"pending\"")
            try store.persistConfiguration(own, forUserID: "1")
            try store.persistPendingConfiguration(pending, forUserID: "1")
            let found = try store.pendingConfiguration(forUserID: "1")
            checks.expect(
                found == pending && found?.entityTag == "\"pending\"",
                "What waits is kept with its entity tag.", found: Self.owner(of: found))
            checks.expect(
                store.lastKnownActiveConfiguration(forUserID: "1") == own
                    && (!hasOwn
                        || store.ownConfiguration(forUserID: "1")?.entityTag == "\"own\""),
                "What waits is not the user's own configuration, and lends it no entity tag.",
                found: Self.owner(of: store.lastKnownActiveConfiguration(forUserID: "1")))
            for id in [nil, "2"] {
                checks.expect(
                    try store.pendingConfiguration(forUserID: id) == nil,
                    "What waits is its user's only, and no fallback.",
                    found: "it waits for \(UserID(id)) too.")
            }
            if suite.isDurable {
                let again = try await suite.open(place).pendingConfiguration(forUserID: "1")
                checks.expect(
                    again == pending, "What waits is there in a newly opened store.",
                    found: Self.owner(of: again))
            }
            try store.persistPendingConfiguration(nil, forUserID: "1")
            let left = try store.pendingConfiguration(forUserID: "1")
            checks.expect(
                left == nil && store.lastKnownActiveConfiguration(forUserID: "1") == own,
                "Persisting nil removes what waits, and nothing else.", found: Self.owner(of: left))
            try store.persistPendingConfiguration(pending, forUserID: "1")
            try store.persistConfiguration(nil, forUserID: "1")
            checks.expect(
                try store.pendingConfiguration(forUserID: "1") == nil,
                "What waits is removed with the user's own configuration.",
                found: "it is still there.")
        }
    }
}
