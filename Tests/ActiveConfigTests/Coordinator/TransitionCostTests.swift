#if DEBUG
    import ActiveConfigTesting
    import Testing

    @testable import ActiveConfig

    @testable import ActiveConfigTrust

    /// Counts of what a change of the active document costs.
    struct TransitionCostTests {
        @Test(arguments: [false, true], [ActivationPolicy.immediate, .manual, .nextLaunch])
        func aSwitchOfTheUserTakesTheReadersLockTwice(isGuarded: Bool, policy: ActivationPolicy) {
            let store = InMemoryStore()
            store.persistConfiguration(.titled(["Home": "generic"]), forUserID: nil)
            store.persistConfiguration(.titled(["Home": "b"], entityTag: "b"), forUserID: "b")
            store.persistPendingConfiguration(
                .titled(["Home": "new"], entityTag: "new"), forUserID: "b")
            let launchGuard = LaunchGuard()
            var options = ActiveConfigOptions()
            options.activation = policy
            if isGuarded { options.vetting = [launchGuard] }
            let config = CoordinatorFixture.make(store: store, options: options).config
            // The first switch of a launch would load the generic user too, which is a change of its own.
            _ = config["Home"]
            // In memory or not, with a document of their own or the generic user's.
            for userID in ["a", "b", nil, "a", "b"] {
                let count = config.state.takingCount
                config.currentUserID = userID
                #expect(config.state.takingCount - count <= 2, "\(userID ?? "generic")")
            }
            launchGuard.willExit()
        }
    }
#endif
