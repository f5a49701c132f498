internal import ActiveConfig

extension StoreConformanceRun {
    /// Checks pending configurations.
    func checkPending(_ checks: inout ConformanceChecks) async {
        await checks.group("A pending configuration is kept besides the user's own.") { checks in
            let place = try await suite.newPlace()
            let store = try await suite.open(place)
            let own = Self.configuration(of: "own", entityTag: "\"own\"")
            let pending = Self.configuration(of: "pending", number: 1, entityTag: "\"pending\"")
            try store.persistConfiguration(own, forUserID: "1")
            try store.persistPendingConfiguration(pending, forUserID: "1")
            let found = try store.pendingConfiguration(forUserID: "1")
            checks.expect(
                found == pending && found?.entityTag == "\"pending\"",
                "A pending configuration is kept with its entity tag.", found: Self.owner(of: found)
            )
            checks.expect(
                store.lastKnownActiveConfiguration(forUserID: "1") == own
                    && (!hasOwn
                        || store.ownConfiguration(forUserID: "1")?.entityTag == "\"own\""),
                "A pending configuration is not the user's own and lends it no entity tag.",
                found: Self.owner(of: store.lastKnownActiveConfiguration(forUserID: "1")))
            for id in [nil, "2"] {
                checks.expect(
                    try store.pendingConfiguration(forUserID: id) == nil,
                    "A pending configuration belongs to its user only and is no fallback.",
                    found: "it waits for \(UserID(id)) too.")
            }
            if suite.isDurable {
                let again = try await suite.open(place).pendingConfiguration(forUserID: "1")
                checks.expect(
                    again == pending, "A pending configuration is there in a newly opened store.",
                    found: Self.owner(of: again))
            }
            try store.persistPendingConfiguration(nil, forUserID: "1")
            let left = try store.pendingConfiguration(forUserID: "1")
            checks.expect(
                left == nil && store.lastKnownActiveConfiguration(forUserID: "1") == own,
                "Persisting nil as pending removes the pending configuration and nothing else.",
                found: Self.owner(of: left))
            try store.persistPendingConfiguration(pending, forUserID: "1")
            try store.persistConfiguration(nil, forUserID: "1")
            checks.expect(
                try store.pendingConfiguration(forUserID: "1") == nil,
                "A pending configuration is removed with the user's own.",
                found: "it is still there.")
        }
    }
}
