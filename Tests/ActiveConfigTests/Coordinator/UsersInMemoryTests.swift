import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Memory that is kept for users who are no longer used.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UsersInMemoryTests {
    private struct Full: Error {}

    private static func config(
        _ store: any ActiveConfigStore, activation: ActivationPolicy
    ) -> ActiveConfig {
        var options = ActiveConfigOptions()
        options.userCacheLimits = UserCacheLimits(maximumCount: 10)
        options.activationPolicy = activation
        return .make(
            downloader: ScriptedDownloader { _ in .configuration(.titled(["Home": "1"])) },
            store: store, options: options)
    }

    @Test func usersWhoAreHeldAreBounded() {
        let config = Self.config(InMemoryStore(), activation: .nextLaunch)
        for user in 0..<5_000 { _ = config.configuration(forUserID: "\(user)")["Home"] }
        #expect(config.users.heldCount <= 1_100)
        #expect(config.users.usedEntry(of: UserID("4999")) != nil)
    }

    @Test func documentsThatCannotBeStoredAreThoseOfUsersInMemory() async throws {
        let store = ObservedStore { event in
            if case .persist = event { throw Full() }
        }
        for policy in [ActivationPolicy.immediate, .manual] {
            let config = Self.config(store, activation: policy)
            let kept = config.configuration(forUserID: "kept")
            try await kept.download()
            for user in 0..<1_500 {
                try await config.configuration(forUserID: "\(user)").download()
            }
            #expect((1...1_100).contains(config.users.heldCount))
            await kept.activate()
            #expect(kept["Home"]?.title == "1")
        }
    }

    /// A user whose document the store has is loaded again, so those are released first.
    @Test func aDocumentThatCouldNotBeStoredOutlivesStoredOnes() async throws {
        let store = ObservedStore { event in
            if case .persist("unstored", _) = event { throw Full() }
        }
        let config = Self.config(store, activation: .manual)
        try await config.configuration(forUserID: "unstored").download()
        await config.configuration(forUserID: "unstored").activate()
        for user in 0..<2_500 { _ = config.configuration(forUserID: "\(user)")["Home"] }
        #expect(config.users.heldCount <= 1_100)
        #expect(config.configuration(forUserID: "unstored")["Home"]?.title == "1")
    }

    @Test func aPushDuringADownloadIsNotReplacedByAnOlderAnswer() async throws {
        let downloader = ScriptedDownloader { _ in .held }
        let config = ActiveConfig.make(downloader: downloader)
        for user in 0..<10 {
            let outcome = await config.push(to: UserID("\(user)")) { _ in
                .apply(GuardedLaunch.document(1))
            }
            guard case .applied = outcome else {
                Issue.record("The change was not applied: \(outcome)")
                return
            }
        }
        #expect(config.users.heldCount == 0)
        let download = Task { try await config.downloadNewConfig() as DownloadResult }
        try await downloader.waitForRequests(1)
        _ = await config.push(to: .generic) { _ in .apply(GuardedLaunch.document(3)) }
        downloader.answer(1, with: .configuration(GuardedLaunch.document(2)))
        _ = try await download.value
        #expect(config["Home"]?.integer(forKey: "version") == 3)
    }
}
