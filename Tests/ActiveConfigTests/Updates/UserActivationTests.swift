import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Pending documents of users other than the current one.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UserActivationTests {
    private static func answer(
        _ titles: [String: String], _ tag: String
    ) -> ScriptedDownloader.Answer {
        .configuration(.titled(titles, entityTag: tag))
    }

    private static let first = answer(["Home": "1", "Kill": "off"], "t1")
    private static let second = answer(["Home": "2", "Kill": "on"], "t2")

    private func titles(_ user: UserConfiguration) -> [String: String?] {
        user.currentConfiguration.sections.mapValues(\.title)
    }

    @Test func sectionsThatNeedNotWaitBecomeActive() async throws {
        let launch = UpdatesFixture(activation: .manual(except: ["Kill"])).launch(
            ScriptedDownloader(Self.first, Self.second))
        let user = launch.config.configuration(forUserID: "1")
        let heard = Locked<[String?]>([])
        let token = user.observe(sectionNamed: "Kill") { section in
            heard.withLock { $0.append(section?.title) }
        }
        for title in ["off", "on"] {
            let result = try await user.download()
            #expect(!result.configurationIsCurrent)
            #expect(result.changedSectionNames == ["Kill"])
            #expect(titles(user) == ["Kill": title])
        }
        launch.drain()
        #expect(heard.withLock { $0 } == ["off", "on"])
        token.cancel()
    }

    @Test func aDocumentThatNeedNotWaitBecomesActive() async throws {
        let store = InMemoryStore()
        store.persistConfiguration(
            .titled(["Home": "1", "Kill": "off"], entityTag: "t1"), forUserID: "1")
        let launch = UpdatesFixture(store, activation: .manual(except: ["Kill"])).launch(
            ScriptedDownloader(Self.answer(["Home": "1", "Kill": "on"], "t2"), .unchanged))
        let user = launch.config.configuration(forUserID: "1")
        #expect(titles(user) == ["Home": "1", "Kill": "off"])
        let result = try await user.download()
        #expect(result.isActive && !result.configurationIsCurrent)
        #expect(result.changedSectionNames == ["Kill"])
        #expect(titles(user) == ["Home": "1", "Kill": "on"])
        #expect(user.currentConfiguration.entityTag == "t2")
        #expect(store.ownConfiguration(forUserID: "1")?.entityTag == "t2")
        #expect(try await user.download().outcome == .notModified)
    }

    /// If a document is stored while a handle is loading, the handle must not show the older one.
    @Test func aHandleThatIsLoadingReadsAgain() async throws {
        let store = ObservedStore()
        try store.persistConfiguration(.titled(["Kill": "off"]), forUserID: "1")
        let launch = UpdatesFixture(store, activation: .manual(except: ["Kill"])).launch(
            ScriptedDownloader(Self.answer(["Kill": "on"], "t2")))
        let user = launch.config.configuration(forUserID: "1")
        let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
        let mayEnd = DispatchSemaphore(value: 0)
        store.afterNextRead {
            hasBegun.finish()
            mayEnd.wait()
        }
        let load = Task { await user.load() }
        for await _ in begun {}
        try await user.download()
        mayEnd.signal()
        await load.value
        #expect(user["Kill"]?.title == "on")
    }
}
