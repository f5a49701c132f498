import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Synchronous reads from any thread, each from one consistent configuration.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ReadingTests {
    @Test("Reads see one consistent configuration, never a mix of two, also under contention")
    func readsSeeOneWholeConfiguration() async {
        let users = ["A", "B"]
        let store = InMemoryStore()
        for user in users {
            let settings: ActiveConfigSection = ["owner": .string(user)]
            store.persistConfiguration(
                .make(
                    meta: ["owner": .string(user)], sections: ["1": settings, "2": settings]),
                forUserID: user)
        }
        let config = ActiveConfig.make(store: store)
        config.currentUserID = "A"
        let isReading = Locked(true)
        let swapper = Task {
            var swaps = 0
            while isReading.withLock({ $0 }) {
                swaps += 1
                config.currentUserID = users[swaps % 2]
                await Task.yield()
            }
            return swaps
        }
        let mixes = await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    var mixes = 0
                    for turn in 0..<100_000 {
                        guard turn.isMultiple(of: 2) else {
                            if config["1"]?.string(forKey: "owner") == nil { mixes += 1 }
                            continue
                        }
                        let state = config.currentConfiguration
                        let owners = Set([
                            state.meta["owner"]?.stringValue,
                            state.sections["1"]?.string(forKey: "owner"),
                            state.sections["2"]?.string(forKey: "owner"),
                        ])
                        if owners.count != 1 || owners.contains(nil) { mixes += 1 }
                    }
                    return mixes
                }
            }
            return await group.reduce(0, +)
        }
        isReading.withLock { $0 = false }
        #expect(await swapper.value > 0)
        #expect(mixes == 0)
    }

    @Test("Reads are synchronous, from any thread")
    func readsFromAnyThread() async {
        let config = ActiveConfig.make(configuration: .titled(["Home": "x"]))
        let title = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: config["Home"]?.title)
            }
        }
        #expect(title == "x")
    }

    @Test func eachWayOfReadingGivesTheSame() {
        let state = ConfigurationState.make(
            meta: ["experiments": ["color": "blue"]], sections: ["Home": ["title": "x"]])
        let config = ActiveConfig.make(configuration: state)
        #expect(config["Home"] == .titled("x"))
        #expect(config.configSection(named: "Home") == .titled("x"))
        #expect(config.currentConfiguration == state)
        #expect(config.currentConfigurationMetaDictionary == state.meta)
        #expect(config["Nowhere"] == nil)
        #expect(config.configSection(named: "Nowhere") == nil)
    }

    @Test func aSectionThatWasReadStaysWhatItWas() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.configuration(.titled(["Home": "new"]))),
            store: InMemoryStore(bootstrap: .state(.titled(["Home": "old"]))))
        let section = fixture.config["Home"]
        try await fixture.config.downloadNewConfig()
        #expect(section == .titled("old"))
        #expect(fixture.config["Home"] == .titled("new"))
    }

    @Test("The store is not read before the first access")
    func readsNothingBeforeSomeoneAsks() {
        let store = ObservedStore()
        let config = ActiveConfig.make(store: store)
        #expect(config.currentUserID == nil)
        _ = config.values(ofSection: "Home")
        _ = config.changes()
        #expect(store.events.isEmpty)
        _ = config["Home"]
        _ = config["Home"]
        #expect(store.events == [.read(nil)])
    }

    @Test("The store reads the user that was set first, not the generic user")
    func readsOnlyTheUserThatIsSet() {
        let store = ObservedStore()
        let config = ActiveConfig.make(store: store)
        config.currentUserID = "1"
        _ = config.currentConfiguration
        #expect(store.events == [.read("1")])
    }

    @Test("A bootstrap file below a stored user configuration is never opened")
    func doesNotOpenAnUnneededBootstrap() throws {
        let log = RecordingLog()
        let missing = URL(filePath: "/nonexistent/InitialActiveConfig.json")
        let store = InMemoryStore(bootstrap: .jsonFile(missing), log: log.log)
        store.persistConfiguration(.titled(["Home": "1"]), forUserID: "1")
        store.persistConfiguration(.titled(["Home": "generic"]), forUserID: nil)
        let config = ActiveConfig.make(store: store)
        for user in ["1", "2", nil] {
            config.currentUserID = user
            #expect(config["Home"]?.title == (user == "1" ? "1" : "generic"))
        }
        #expect(log.messages.isEmpty)

        // When the missing bootstrap is finally needed, one error is logged.
        store.persistConfiguration(nil, forUserID: nil)
        for user in ["3", "4"] {
            config.currentUserID = user
            #expect(config.currentConfiguration.sections.isEmpty)
        }
        #expect(log.messages.map(\.level) == [.error])
        #expect(try #require(log.messages.first).text.contains(missing.path))
    }
}
