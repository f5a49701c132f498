import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UserConfigurationTests {
    private static let title = SettingKey("Home", "title", default: "none")

    private static func configuration(of userID: String?, number: Int = 0) -> ConfigurationState {
        let owner = SettingValue.string(userID ?? "generic")
        let settings: ActiveConfigSection = ["title": owner, "number": .integer(number)]
        return .make(sections: ["Home": settings, "Other": settings], entityTag: "\"\(number)\"")
    }

    @Test func eachUserReadsItsOwnConfigurationBesideTheCurrentOne() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { .configuration(Self.configuration(of: $0.userID)) })
        let config = fixture.config
        config.currentUserID = "1"
        // IDs with equal Java hash codes, canonically equivalent IDs, an empty ID, and one that
        // looks like a path.
        let users = ["Aa", "BB", "\u{E9}", "e\u{301}", "", "..", nil]
        for user in users {
            let handle = config.configuration(forUserID: user)
            #expect(handle[Self.title] == "none", "there is no value before the download")
            let result = try await handle.download()
            #expect(UserID(result.userID) == UserID(user))
            #expect(result.isActive && !result.configurationIsCurrent)
            #expect(result.changedSectionNames == ["Home", "Other"])
        }
        for user in users {
            let handle = config.configuration(forUserID: user)
            #expect(UserID(handle.userID) == UserID(user))
            let title = handle[Self.title]
            #expect(UserID(title) == UserID(user ?? "generic"))
            #expect(handle["Home"]?.string(forKey: "title") == title)
            #expect(handle.currentConfiguration.sections["Other"]?.string(forKey: "title") == title)
        }
        #expect(config.currentUserID == "1")
        #expect(config["Home"]?.string(forKey: "title") == "generic", "the fallback")
    }

    @Test func aUserIsLoadedFromTheStoreOnceAndFallsBackToTheGenericUser() async throws {
        let store = ObservedStore()
        try store.persistConfiguration(Self.configuration(of: "1"), forUserID: "1")
        try store.persistConfiguration(Self.configuration(of: nil), forUserID: nil)
        let config = CoordinatorFixture.make(store: store).config
        await config.configuration(forUserID: "1").load()
        #expect(config.configuration(forUserID: "1")[Self.title] == "1")
        #expect(config.configuration(forUserID: "2")[Self.title] == "generic")
        #expect(store.events.filter { $0 == .read("1") }.count == 1)
        #expect(store.events.filter { $0 == .read("2") }.count == 1)
    }

    @Test func defaultsAndOverridesHoldForAllUsers() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { .configuration(Self.configuration(of: $0.userID)) },
            overrides: .settable)
        let config = fixture.config
        let first = config.configuration(forUserID: "1")
        let second = config.configuration(forUserID: "2")
        try await first.download()
        config.setDefaults(["Home": ["color": "red", "title": "default"]])
        #expect(first["Home"]?.string(forKey: "color") == "red")
        #expect(first[Self.title] == "1")
        #expect(second[Self.title] == "default")
        config.overrides.set("mine", for: SettingPath("Home", "title"))
        #expect(first[Self.title] == "mine")
        #expect(second[Self.title] == "mine")
        try await second.download()
        #expect(second[Self.title] == "mine")
        config.overrides.removeAll()
        #expect(first[Self.title] == "1")
        #expect(second[Self.title] == "2")
    }

    @Test func listenersAndSequencesOfAUserReceiveOnlyItsChanges() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader {
                .configuration(Self.configuration(of: $0.userID, number: $0.number))
            })
        let config = fixture.config
        let handle = config.configuration(forUserID: "1")
        let heard = Locked<[String?]>([])
        let token = handle.observe(sectionNamed: "Home") { section in
            heard.withLock { $0.append(section?.string(forKey: "title")) }
        }
        var titles = handle.values(for: Self.title).makeAsyncIterator()
        #expect(await titles.next() == "none")
        try await config.configuration(forUserID: "2").download()
        try await handle.download()
        #expect(await titles.next() == "1")
        fixture.drain()
        #expect(heard.withLock { $0 } == ["1"])
        try await config.forgetUser("1")
        #expect(await titles.next() == "none")
        fixture.drain()
        #expect(heard.withLock { $0 } == ["1", nil])
        token.cancel()
        try await handle.download()
        fixture.drain()
        #expect(heard.withLock { $0 }.count == 2)
    }

    @Test func aProblemIsNamedForItsUser() {
        let store = InMemoryStore()
        store.persistConfiguration(
            .make(sections: ["Home": ["columns": "many"]]), forUserID: "1")
        let config = CoordinatorFixture.make(store: store).config
        let handle = config.configuration(forUserID: "1")
        #expect(handle[SettingKey("Home", "columns", default: 2)] == 2)
        #expect(handle.diagnostics.problems.map(\.name) == ["columns"])
        #expect(config.diagnostics.problems == [])
        #expect(config.configuration(forUserID: "2").diagnostics.problems == [])
    }

    @Test func forgettingTheGenericUserEmptiesTheHandlesThatFellBackToIt() throws {
        let store = InMemoryStore()
        store.persistConfiguration(Self.configuration(of: nil), forUserID: nil)
        store.persistConfiguration(Self.configuration(of: "1"), forUserID: "1")
        let config = CoordinatorFixture.make(store: store).config
        let own = config.configuration(forUserID: "1")
        let fallback = config.configuration(forUserID: "2")
        #expect(own[Self.title] == "1")
        #expect(fallback[Self.title] == "generic")
        try config.forgetGenericUser()
        #expect(own[Self.title] == "1")
        #expect(fallback[Self.title] == "none")
    }

    @Test func aLoadThatIsOvertakenByForgettingBringsNothingBack() throws {
        let store = ObservedStore()
        try store.persistConfiguration(Self.configuration(of: "1"), forUserID: "1")
        let config = CoordinatorFixture.make(store: store).config
        let handle = config.configuration(forUserID: "1")
        store.afterNextRead { _ = config.currentConfiguration }
        // The current user is loaded first, so that only the handle's read is delayed.
        _ = config.currentConfiguration
        store.afterNextRead { onAnotherThread { try? config.forgetUser("1") } }
        #expect(handle[Self.title] == "none")
    }

    @Test func aLateAnswerIsItsOwnUsers() async throws {
        let fixture = CoordinatorFixture.make(ScriptedDownloader { _ in .held })
        let config = fixture.config
        let (first, second) = (
            config.configuration(forUserID: "A"), config.configuration(forUserID: "B")
        )
        async let a = first.download()
        try await fixture.downloader.waitForRequests(1)
        async let b = second.download()
        try await fixture.downloader.waitForRequests(2)
        fixture.downloader.answer(2, with: .configuration(Self.configuration(of: "B", number: 2)))
        _ = try await b
        #expect(first[Self.title] == "none")
        fixture.downloader.answer(1, with: .configuration(Self.configuration(of: "A", number: 1)))
        _ = try await a
        #expect(first[Self.title] == "A")
        #expect(second[Self.title] == "B")
        let requests = Task { try await first.download() }
        try await fixture.downloader.waitForRequests(3)
        #expect(fixture.downloader.requests[2].lastKnown?.entityTag == "\"1\"")
        fixture.downloader.answer(3, with: .unchanged)
        #expect(try await requests.value.changedSectionNames == [])
        #expect(first[Self.title] == "A")
    }

    /// 8 readers, two for each of four users, while their configurations are replaced.
    @Test func aReaderDuringASwapSeesOneWholeConfiguration() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader {
                .configuration(Self.configuration(of: $0.userID, number: $0.number))
            })
        let config = fixture.config
        let turnCount = Sanitizer.isOn ? 200 : 2_000
        let isGoingOn = Locked(true)
        let mixes = Locked(0)
        let swaps = Locked(0)
        await withTaskGroup { group in
            for reader in 0..<8 {
                let user = "user \(reader % 4)"
                group.addTask {
                    let handle = config.configuration(forUserID: user)
                    _ = try? await handle.download()
                    while isGoingOn.withLock({ $0 }) {
                        for _ in 0..<100 {
                            let state = handle.currentConfiguration
                            let whole =
                                state.sections["Home"] == state.sections["Other"]
                                && state.sections["Home"]?.string(forKey: "title") == user
                            if !whole { mixes.withLock { $0 += 1 } }
                        }
                        await Task.yield()
                    }
                }
            }
            group.addTask {
                for turn in 0..<turnCount {
                    let handle = config.configuration(forUserID: "user \(turn % 4)")
                    if (try? await handle.download())?.changedSectionNames.isEmpty == false {
                        swaps.withLock { $0 += 1 }
                    }
                }
                isGoingOn.withLock { $0 = false }
            }
        }
        #expect(mixes.withLock { $0 } == 0)
        #expect(swaps.withLock { $0 } > turnCount / 2)
    }

    @MainActor
    @Test func aUserIsObservedOnTheMainActorFromTheFirstValueOn() async throws {
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader { request in
                .configuration(
                    Self.configuration(of: request.userID, number: request.number))
            })
        let user = config.configuration(forUserID: "1")
        var (numbers, titles) = ([Int](), [String?]())
        let key = SettingKey("Home", "number", default: 0)
        let subscriptions = [
            user.observeOnMainActor(key) { numbers.append($0) },
            user.observeOnMainActor(sectionNamed: "Home") {
                titles.append($0?.string(forKey: "title"))
            },
        ]
        #expect(numbers == [0] && titles.isEmpty)
        for _ in 0..<2 { try await user.download() }
        config.listenerQueue.sync {}
        // deadline: lets the main queue deliver
        while numbers.count < 3 || titles.count < 2, !Task.isCancelled { await Task.yield() }
        #expect(numbers == [0, 1, 2] && titles == ["1", "1"])
        for subscription in subscriptions { subscription.cancel() }
    }
}
