#if DEBUG
    import ActiveConfigTesting
    import Foundation
    import Testing

    @testable import ActiveConfig
    @testable import ActiveConfigTrust

    /// Costs of a change of the active document, as counts of locks and threads.
    struct TransitionCostTests {
        @Test(arguments: [false, true], [ActivationPolicy.immediate, .manual, .nextLaunch])
        func aSwitchOfTheUserTakesTheReadersLockTwice(isGuarded: Bool, policy: ActivationPolicy) {
            let store = InMemoryStore()
            store.persistConfiguration(.titled(["Home": "generic"]), forUserID: nil)
            store.persistConfiguration(.titled(["Home": "b"], entityTag: "b"), forUserID: "b")
            store.persistPendingConfiguration(
                .titled(["Home": "new"], entityTag: "new"), forUserID: "b")
            let crashGuard = CrashGuard()
            var options = ActiveConfigOptions()
            options.activationPolicy = policy
            if isGuarded { options.vetting = [crashGuard] }
            let config = CoordinatorFixture.make(store: store, options: options).config
            // The first switch of a launch would also load the generic user, which is another
            // change.
            _ = config["Home"]
            // In memory or not, with their own document or the generic user's.
            for userID in ["a", "b", nil, "a", "b"] {
                let count = config.front.readCount
                config.currentUserID = userID
                #expect(config.front.readCount - count <= 2, "\(userID ?? "generic")")
            }
            crashGuard.willTerminate()
        }

        /// From the downloader's task to a store thread, and from there to the listener queue.
        @Test(arguments: [String?.none, "1"], [false, true])
        func aDownloadedDocumentReachesListenersByWayOfOneThread(
            userID: String?, isGuarded: Bool
        ) async throws {
            let isAnswered = Locked(Int?.none)
            let heard = Locked(Int?.none)
            let config = Locked(ActiveConfig?.none)
            let downloader = ScriptedDownloader { _ in
                isAnswered.withLock { $0 = config.withLock { $0 }?.users.calls.callCount }
                return .configuration(.titled(["Home": "new"], entityTag: "new"))
            }
            let crashGuard = CrashGuard()
            var options = ActiveConfigOptions()
            if isGuarded { options.vetting = [crashGuard] }
            let fixture = CoordinatorFixture.make(downloader, options: options)
            fixture.config.currentUserID = userID
            config.withLock { $0 = fixture.config }
            let listener = fixture.listener { config, _ in
                heard.withLock { $0 = $0 ?? config.users.calls.callCount }
            }
            try await fixture.config.downloadNewConfig()
            fixture.queue.sync {}
            let (before, after) = (isAnswered.withLock { $0 }, heard.withLock { $0 })
            #expect(try #require(after) - #require(before) == 1)
            withExtendedLifetime(listener) {}
            crashGuard.willTerminate()
        }
    }
#endif
