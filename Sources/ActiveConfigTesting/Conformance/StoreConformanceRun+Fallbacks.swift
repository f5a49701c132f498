internal import ActiveConfig

extension StoreConformanceRun {
    /// Checks that a user without a configuration has the generic user's.
    func checkFallbacks(_ checks: inout ConformanceChecks) async {
        await checks.group("An empty store answers nil.") { checks in
            let store = try await makeStore()
            for id in [nil, "1"] {
                checks.expect(
                    store.lastKnownActiveConfiguration(forUserID: id) == nil
                        && store.ownConfiguration(forUserID: id) == nil,
                    "An empty store without a bootstrap answers nil.",
                    found: "a configuration of \(UserID(id)).")
                try store.persistConfiguration(nil, forUserID: id)
            }
        }
        await checks.group("A user falls back to the generic user.") { checks in
            let store = try await makeStore()
            let generic = Self.configuration(of: "generic")
            let own = Self.configuration(of: "1")
            try store.persistConfiguration(own, forUserID: "1")
            checks.expect(
                store.lastKnownActiveConfiguration(forUserID: nil) == nil
                    && store.lastKnownActiveConfiguration(forUserID: "2") == nil,
                "No user falls back to another user, nor does the generic user.",
                found: "the configuration of user \"1\".")
            try store.persistConfiguration(generic, forUserID: nil)
            checks.expect(
                store.lastKnownActiveConfiguration(forUserID: "2") == generic,
                "A user without a configuration falls back to the generic user's.",
                found: Self.owner(of: store.lastKnownActiveConfiguration(forUserID: "2")))
            checks.expect(
                store.lastKnownActiveConfiguration(forUserID: "1") == own,
                "A user's own configuration comes before the generic user's.",
                found: Self.owner(of: store.lastKnownActiveConfiguration(forUserID: "1")))
            checks.expect(
                store.ownConfiguration(forUserID: "2") == nil,
                "A fallback is never a user's own configuration.",
                found: Self.owner(of: store.ownConfiguration(forUserID: "2")))
        }
    }

    /// Checks that the bootstrap follows the generic user.
    func checkBootstrap(_ checks: inout ConformanceChecks) async {
        guard let open = suite.openWithBootstrap else { return }
        await checks.group("A store falls back from user to generic user to bootstrap.") { checks in
            let bootstrap = Self.configuration(of: "bootstrap")
            let store = try await open(suite.newPlace(), bootstrap)
            func expectAll(_ ids: [String?], _ owner: String, _ rule: String) {
                for id in ids {
                    let found = store.lastKnownActiveConfiguration(forUserID: id)
                    checks.expect(
                        found == Self.configuration(of: owner), rule,
                        found: "\(Self.owner(of: found)) for \(UserID(id)).")
                }
            }
            expectAll(
                [nil, "", "1"], "bootstrap",
                "A user falls back to the bootstrap when the generic user has no configuration.")
            checks.expect(
                store.ownConfiguration(forUserID: nil) == nil
                    && store.ownConfiguration(forUserID: "1") == nil,
                "The bootstrap is no user's own configuration.", found: "it is returned as one.")
            try store.persistConfiguration(Self.configuration(of: "1"), forUserID: "1")
            expectAll(["1"], "1", "A user's own configuration comes before the bootstrap.")
            expectAll([nil, "2"], "bootstrap", "The bootstrap is shared by all other users.")
            try store.persistConfiguration(Self.configuration(of: "generic"), forUserID: nil)
            expectAll(
                [nil, "2"], "generic",
                "Once the generic user has a configuration, the bootstrap is not used again.")
            try store.persistConfiguration(nil, forUserID: "1")
            expectAll(["1"], "generic", "A user whose configuration is removed falls back.")
        }
    }

    /// Checks the flag of the first download.
    func checkFirstDownloadFinished(_ checks: inout ConformanceChecks) async {
        guard hasFirstDownloadFinished else { return }
        let rule = "A recorded first download stays recorded, whatever is persisted or removed."
        await checks.group(rule) { checks in
            let place = try await suite.newPlace()
            let store = try await suite.open(place)
            checks.expect(
                !store.firstDownloadFinished, "An empty store knows of no first download.",
                found: "it does.")
            let answers = [
                try store.recordFirstDownloadFinished(), try store.recordFirstDownloadFinished(),
            ]
            checks.expect(
                answers == [true, false],
                "Recording a first download returns true only the first time.",
                found: "\(answers[0]) the first time, \(answers[1]) the second.")
            checks.expect(store.firstDownloadFinished, rule, found: "it was not recorded.")
            try store.persistConfiguration(Self.configuration(of: "generic"), forUserID: nil)
            try store.persistConfiguration(nil, forUserID: nil)
            checks.expect(store.firstDownloadFinished, rule, found: "it was forgotten.")
            checks.expect(
                store.lastKnownActiveConfiguration(forUserID: nil) == nil,
                "Recording a first download makes no configuration.", found: "it did.")
            guard suite.isDurable else { return }
            checks.expect(
                try await suite.open(place).firstDownloadFinished,
                "A recorded first download is there in a newly opened store.", found: "it is not.")
            checks.expect(
                try await !suite.open(place).recordFirstDownloadFinished(),
                "In a newly opened store it is recorded too that there was a first download.",
                found: "it is recorded once more.")
        }
    }
}
