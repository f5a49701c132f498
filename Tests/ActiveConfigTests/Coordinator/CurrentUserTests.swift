import ActiveConfig
import ActiveConfigTesting
import Testing

/// The current user: loading, fallbacks and comparison of user IDs.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct CurrentUserTests {
    /// Store with an optional bootstrap and configurations of users "A" and "B".
    private func makeStore(bootstrap: ConfigurationState? = nil) -> InMemoryStore {
        let store = InMemoryStore(bootstrap: bootstrap.map { .state($0) })
        store.persistConfiguration(
            .titled(["Home": "A", "Same": "same", "OnlyA": "a"]), forUserID: "A")
        store.persistConfiguration(
            .titled(["Home": "B", "Same": "same", "OnlyB": "b"]), forUserID: "B")
        return store
    }

    @Test("Setting `currentUserID` loads that user's last known configuration before it returns")
    func loadsTheConfigurationBeforeItReturns() {
        let config = ActiveConfig.make(store: makeStore())
        config.currentUserID = "A"
        #expect(config.currentUserID == "A")
        #expect(config["Home"]?.title == "A")
        config.currentUserID = "B"
        #expect(config["Home"]?.title == "B")
        #expect(config["OnlyA"] == nil)
    }

    @Test("Setting `currentUserID` notifies the listeners of every section that differs")
    func notifiesListenersOfDifferences() {
        let fixture = CoordinatorFixture.make(store: makeStore())
        fixture.config.currentUserID = "A"
        let names = ["Home", "Same", "OnlyA", "OnlyB", "Nowhere"]
        let listeners = names.map { fixture.listener($0) }
        fixture.drain()
        let recorder = NotificationRecorder(of: fixture.config, in: fixture.center)
        fixture.config.currentUserID = "B"
        fixture.drain()
        #expect(
            listeners.map { $0.sections.map { $0?.title } }
                == [["A", "B"], ["same"], ["a", nil], ["b"], []])
        #expect(recorder.entries.map(\.sectionName) == ["Home", "OnlyA", "OnlyB"])
        #expect(recorder.entries.map(\.userID) == ["B", "B", "B"])
    }

    @Test func settingTheSameUserDoesNothing() {
        let store = ObservedStore(makeStore())
        let fixture = CoordinatorFixture.make(store: store)
        fixture.config.currentUserID = "A"
        let listener = fixture.listener()
        let events = store.events
        fixture.config.currentUserID = "A"
        fixture.drain()
        #expect(listener.sections == [.titled("A")])
        #expect(store.events == events)
    }

    @Test("A user without a configuration and without a fallback gets an empty one")
    func aUserWithoutConfigurationGetsAnEmptyOne() {
        let fixture = CoordinatorFixture.make(store: makeStore())
        fixture.config.currentUserID = "A"
        let listener = fixture.listener()
        fixture.config.currentUserID = "C"
        #expect(fixture.config.currentConfiguration.sections.isEmpty)
        #expect(fixture.config.currentConfigurationMetaDictionary.isEmpty)
        fixture.drain()
        #expect(listener.sections == [.titled("A"), nil])
    }

    @Test func withoutAStoreEveryUserStartsEmpty() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.configuration(.titled(["Home": "A"]))), store: nil)
        fixture.config.currentUserID = "A"
        try await fixture.config.downloadNewConfig()
        #expect(fixture.config["Home"]?.title == "A")
        fixture.config.currentUserID = "B"
        #expect(fixture.config["Home"] == nil)
    }

    @Test func withoutAStoreTheGenericUserIsTheFallback() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { request in
                let user = request.userID ?? "generic"
                return .configuration(.titled(["Home": "\(user) \(request.number)"]))
            }, store: nil)
        let config = fixture.config
        let generic = config.configuration(forUserID: nil)
        #expect(config.configuration(forUserID: "B")["Home"] == nil)
        try await config.downloadNewConfig()
        config.currentUserID = "A"
        #expect(config["Home"]?.title == "generic 1")
        let handle = config.configuration(forUserID: "C")
        #expect(handle["Home"]?.title == "generic 1")
        let listener = fixture.listener()
        try await generic.download()
        fixture.drain()
        #expect(listener.sections == [.titled("generic 1"), .titled("generic 2")])
        #expect(handle["Home"]?.title == "generic 2")
        try await config.downloadNewConfig()
        #expect(config["Home"]?.title == "A 3" && handle["Home"]?.title == "generic 2")
        try await config.forgetUser("A")
        #expect(config["Home"]?.title == "generic 2")
        config.currentUserID = nil
        #expect(config["Home"]?.title == "generic 2")
        try await config.forgetGenericUser()
        #expect(config["Home"] == nil && handle["Home"] == nil)
        fixture.drain()
        #expect(listener.sections.suffix(3) == [.titled("A 3"), .titled("generic 2"), nil])
    }

    /// No reader keeps the generic user's document in memory.
    @Test func withoutAStoreTheGenericUserStaysWhenTheUserChanges() async throws {
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(.configuration(.titled(["Home": "generic"]))), store: nil
        )
        try await config.downloadNewConfig()
        for user in ["A", nil, "B", nil] {
            config.currentUserID = user
            #expect(config["Home"]?.title == "generic")
        }
    }

    @Test("The store falls back: user → generic user → bootstrap")
    func fallsBack() {
        let store = makeStore(bootstrap: .titled(["Home": "bootstrap"]))
        let config = ActiveConfig.make(store: store)
        #expect(config["Home"]?.title == "bootstrap")
        config.currentUserID = "C"
        #expect(config["Home"]?.title == "bootstrap")
        config.currentUserID = "A"
        #expect(config["Home"]?.title == "A")
        store.persistConfiguration(.titled(["Home": "generic"]), forUserID: nil)
        config.currentUserID = "C"
        #expect(config["Home"]?.title == "generic")
        config.currentUserID = nil
        #expect(config["Home"]?.title == "generic")
    }

    @Test("Once the generic user has a downloaded configuration, the bootstrap is not used again")
    func theBootstrapIsNotUsedAgain() async throws {
        let store = InMemoryStore(bootstrap: .state(.titled(["Home": "bootstrap", "Old": "x"])))
        let downloader = ScriptedDownloader(.configuration(.titled(["Home": "downloaded"])))
        try await ActiveConfig.make(downloader: downloader, store: store).downloadNewConfig()
        let config = ActiveConfig.make(store: store)
        for user in [nil, "1", "2"] {
            config.currentUserID = user
            #expect(config.currentConfiguration.sections == ["Home": .titled("downloaded")])
        }
    }

    /// Two different IDs that a careless comparison could confuse.
    struct Pair: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let first: String?
        let second: String?

        init(_ testDescription: String, _ first: String?, _ second: String?) {
            self.testDescription = testDescription
            self.first = first
            self.second = second
        }
    }

    static let pairs = [
        Pair("nil and empty", nil, ""), Pair("composed and decomposed", "\u{E9}", "e\u{301}"),
        Pair("upper and lower case", "a", "A"), Pair("NUL at the end", "a", "a\u{0}"),
        Pair("slash and its escape", "/", "%2F"), Pair("parent folders", "..", "../.."),
        Pair("nil and its text", nil, "(null)"), Pair("white space", "a", "a "),
        Pair(
            "10 KB", String(repeating: "x", count: 10_240),
            String(repeating: "x", count: 10_239) + "y"),
        Pair("emoji", "\u{1F468}\u{200D}\u{1F467}", "\u{1F468}\u{1F467}"),
    ]

    @Test(
        "User IDs are compared byte by byte, not as Swift strings", arguments: pairs)
    func userIDsAreComparedByBytes(pair: Pair) async throws {
        let fixture = CoordinatorFixture.make(ScriptedDownloader { _ in .held })
        let config = fixture.config
        config.currentUserID = "another"
        var downloads: [Task<DownloadResult, any Error>] = []
        for (count, user) in [pair.first, pair.second].enumerated() {
            config.currentUserID = user
            downloads.append(Task { try await config.downloadNewConfig() })
            // Downloads of two users are not joined.
            try await fixture.downloader.waitForRequests(count + 1)
        }
        fixture.downloader.answer(2, with: .configuration(.titled(["Home": "second"])))
        #expect(try await downloads[1].value.configurationIsCurrent)
        fixture.downloader.answer(1, with: .configuration(.titled(["Home": "first"])))
        #expect(try await !downloads[0].value.configurationIsCurrent)
        for (user, title) in [(pair.first, "first"), (pair.second, "second")] {
            config.currentUserID = user
            #expect(config["Home"]?.title == title)
        }
    }

    @Test func theSetterKeepsTheIDByteForByte() throws {
        let config = ActiveConfig.make()
        config.currentUserID = "\u{E9}"
        config.currentUserID = "e\u{301}"
        #expect(try Array(#require(config.currentUserID).utf8) == Array("e\u{301}".utf8))
    }

    @Test func resultsOfDifferentUsersDiffer() {
        let first = DownloadResult(userID: "\u{E9}", configurationIsCurrent: true)
        let second = DownloadResult(userID: "e\u{301}", configurationIsCurrent: true)
        #expect(first != second)
        #expect(Set([first, second, first]).count == 2)
        #expect(first != DownloadResult(userID: "\u{E9}", configurationIsCurrent: false))
        #expect(
            first
                != DownloadResult(
                    userID: "\u{E9}", configurationIsCurrent: true, changedSectionNames: ["Home"]))
    }

    @Test func changesOfDifferentUsersDiffer() {
        let changes = ["\u{E9}", "e\u{301}"].map {
            SectionChange(
                sectionName: "Home", old: nil, new: nil, userID: $0, reason: .downloaded)
        }
        #expect(changes[0] != changes[1])
        #expect(Set(changes).count == 2)
    }
}
