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

    /// A section that is not kept alive by this reference.
    private struct Reference {
        weak let table: SettingTable?
    }

    /// The documents of released users are no longer in memory; the others' equal sections are one.
    @Test func documentsInMemoryAreThoseOfTheLastUsers() throws {
        let folder = TemporaryFolder()
        // It keeps no document in memory.
        let store = FileDefaultsStore(directory: folder.url)
        for user in 0..<50 {
            try store.persistConfiguration(
                .titled(["Home": "\(user)", "Other": "equal"]), forUserID: "\(user)")
        }
        let config = Self.config(store, activation: .immediate)
        var references: [Reference] = []
        func read(_ user: Int) {
            let handle = config.configuration(forUserID: "\(user)")
            #expect(handle["Home"]?.title == "\(user)")
            references += [handle["Home"], handle["Other"]].map { Reference(table: $0?.table) }
        }
        let held = config.configuration(forUserID: "0")
        for user in 0..<50 { read(user) }
        func titles() -> [String] {
            let tables = references.compactMap(\.table)
            return Dictionary(tables.map { (ObjectIdentifier($0), $0) }) { first, _ in first }
                .values.compactMap { ActiveConfigSection(table: $0).title }.sorted()
        }
        #expect(titles() == (["0", "equal"] + (40..<50).map { "\($0)" }).sorted())
        #expect(held["Home"]?.title == "0")
    }

    @Test func usersWhoAreHeldAreBounded() {
        let config = Self.config(InMemoryStore(), activation: .nextLaunch)
        for user in 0..<5_000 { _ = config.configuration(forUserID: "\(user)")["Home"] }
        #expect(config.users.table.heldCount <= 1_100)
        #expect(config.users.table.usedEntry(of: UserID("4999")) != nil)
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
            #expect((1...1_100).contains(config.users.table.heldCount))
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
        #expect(config.users.table.heldCount <= 1_100)
        #expect(config.configuration(forUserID: "unstored")["Home"]?.title == "1")
    }

    @Test func aPushDuringADownloadIsNotReplacedByAnOlderAnswer() async throws {
        let downloader = ScriptedDownloader { _ in .held }
        let config = ActiveConfig.make(downloader: downloader)
        for user in 0..<10 {
            let outcome = await config.downloads.push(to: UserID("\(user)")) { _ in
                .apply(GuardedLaunch.document(1))
            }
            guard case .applied = outcome else {
                Issue.record("The change was not applied: \(outcome)")
                return
            }
        }
        #expect(config.users.table.heldCount == 0)
        let download = Task { try await config.downloadNewConfig() as DownloadResult }
        try await downloader.waitForRequests(1)
        _ = await config.downloads.push(to: .generic) { _ in .apply(GuardedLaunch.document(3)) }
        downloader.answer(1, with: .configuration(GuardedLaunch.document(2)))
        _ = try await download.value
        #expect(config["Home"]?.integer(forKey: "version") == 3)
    }
}
