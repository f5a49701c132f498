import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

struct UserTableTests {
    private static func document(_ value: Int = 0) throws -> ConfigurationState {
        let text = """
            {"meta": {}, "config_sections": {"Home": {"settings": {\
            "title": {"value": "a text of some length"}, "number": {"value": \(value)}}}, \
            "Other": {"settings": {"color": {"value": "red"}}}}}
            """
        return try ConfigurationState(jsonData: Data(text.utf8))
    }

    private static func config(
        limits: UserCacheLimits, store: any ActiveConfigStore
    ) -> ActiveConfig {
        var options = ActiveConfigOptions()
        options.userCacheLimits = limits
        return .make(store: store, options: options)
    }

    private static func isSame(
        _ left: ActiveConfigSection?, _ right: ActiveConfigSection?
    ) -> Bool {
        left != nil && left?.table === right?.table
    }

    @Test func equalSectionsOfDifferentUsersAreOneInMemory() throws {
        let folder = TemporaryFolder()
        let store = FileDefaultsStore(directory: folder.url)
        for user in 0..<4 {
            try store.persistConfiguration(Self.document(user / 2), forUserID: "\(user)")
        }
        let config = Self.config(limits: UserCacheLimits(), store: store)
        let sections = (0..<4).map { config.configuration(forUserID: "\($0)")["Home"] }
        #expect(Self.isSame(sections[0], sections[1]))
        #expect(Self.isSame(sections[2], sections[3]))
        #expect(!Self.isSame(sections[1], sections[2]))
        let others = (0..<4).map { config.configuration(forUserID: "\($0)")["Other"] }
        #expect(Self.isSame(others[0], others[3]))
        config.setDefaults(["Home": ["extra": 1], "New": ["extra": 2]])
        let layered = (0..<4).map { config.configuration(forUserID: "\($0)") }
        #expect(layered[0]["Home"]?.integer(forKey: "extra") == 1)
        #expect(Self.isSame(layered[0]["Home"], layered[1]["Home"]))
        #expect(!Self.isSame(layered[1]["Home"], layered[2]["Home"]))
        #expect(Self.isSame(layered[0]["New"], layered[3]["New"]))
    }

    /// The generic user's document is pooled, layered and compared once for all users who read it.
    @Test func usersWhoReadAFallbackShareAllOfIt() async throws {
        let store = InMemoryStore()
        store.persistConfiguration(try Self.document(), forUserID: nil)
        let config = Self.config(limits: UserCacheLimits(), store: store)
        config.currentUserID = "0"
        let recorder = NotificationRecorder(of: config, in: config.notificationCenter)
        let handles = (0..<20).map { config.configuration(forUserID: "\($0)") }
        let heard = Locked<[Int?]>([])
        let token = handles[7].observe(sectionNamed: "Home") { section in
            heard.withLock { $0.append(section?.integer(forKey: "number")) }
        }
        func documentCount() -> Int {
            Set(
                config.users.table.livingEntries.filter { $0.userID != .generic }
                    .compactMap { $0.snapshot.map { ObjectIdentifier($0.known) } }
            ).count
        }
        for handle in handles { #expect(handle["Home"]?.integer(forKey: "number") == 0) }
        #expect(documentCount() == 2, "the current user's was loaded without a handle")
        for number in 1...2 {
            let new = try Self.document(number)
            _ = await config.downloads.push(to: .generic) { _ in .apply(new) }
            #expect(documentCount() == 1)
            for handle in handles {
                #expect(handle["Home"]?.integer(forKey: "number") == number)
            }
        }
        config.setDefaults(["Home": ["extra": 1]])
        #expect(documentCount() == 1)
        for handle in handles { #expect(handle["Home"]?.integer(forKey: "extra") == 1) }
        config.listenerQueue.sync {}
        #expect(heard.withLock { $0 } == [0, 1, 2, 2])
        let changes = recorder.entries.filter { $0.sectionName == "Home" }
        #expect(changes.map(\.userID) == ["0", "0", "0"])
        token.cancel()
        // The size equals that of users who are loaded later.
        let other = Self.config(limits: UserCacheLimits(), store: store)
        other.setDefaults(["Home": ["extra": 1]])
        for number in 0..<20 { _ = other.configuration(forUserID: "\(number)")["Home"] }
        #expect(config.users.table.kept == other.users.table.kept)
        let own = try Self.document(9)
        for number in 0..<20 {
            _ = await config.downloads.push(to: UserID("\(number)")) { _ in .apply(own) }
        }
        #expect(
            config.users.table.kept.size == other.users.table.kept.size,
            "the size equals the previous one")
    }

    @Test func theLeastRecentlyUsedAreRemovedFirst() throws {
        let store = ObservedStore()
        for user in 0..<3 {
            try store.persistConfiguration(Self.document(user), forUserID: "\(user)")
        }
        let config = Self.config(limits: UserCacheLimits(maximumCount: 2), store: store)
        func reads(_ user: Int) -> Int { store.events.filter { $0 == .read("\(user)") }.count }
        func read(_ user: Int) -> Int? {
            config.configuration(forUserID: "\(user)")["Home"]?.integer(forKey: "number")
        }
        #expect((read(0), read(1), read(0)) == (0, 1, 0))
        #expect(read(2) == 2)
        #expect(config.users.table.kept.count == 2)
        #expect(read(0) == 0)
        #expect(reads(0) == 1, "0 was read after 1")
        #expect(read(1) == 1)
        #expect(reads(1) == 2)
    }

    @Test func aHandleInUseIsNotLost() throws {
        let store = ObservedStore()
        try store.persistConfiguration(Self.document(7), forUserID: "kept")
        let config = Self.config(limits: UserCacheLimits(maximumCount: 1), store: store)
        let handle = config.configuration(forUserID: "kept")
        #expect(handle["Home"]?.integer(forKey: "number") == 7)
        for user in 0..<200 { _ = config.configuration(forUserID: "\(user)")["Home"] }
        #expect(config.users.table.kept.count == 1)
        #expect(config.users.table.livingEntries.filter { $0.userID != .generic }.count == 2)
        #expect(handle["Home"]?.integer(forKey: "number") == 7)
        #expect(config.configuration(forUserID: "kept")["Home"]?.integer(forKey: "number") == 7)
        #expect(store.events.filter { $0 == .read("kept") }.count == 1)
    }

    @Test func theSizeIsBoundedAndASharedSectionCountsOnce() throws {
        let store = InMemoryStore()
        for user in 0..<100 {
            store.persistConfiguration(
                try Self.document(user < 50 ? 0 : user), forUserID: "\(user)")
        }
        let config = Self.config(limits: UserCacheLimits(), store: store)
        func load(_ user: Int) -> Int {
            _ = config.configuration(forUserID: "\(user)")["Home"]
            return config.users.table.kept.size
        }
        let (first, second, other) = (load(0), load(1), load(50))
        #expect(second - first < other - second)
        let bounded = Self.config(limits: UserCacheLimits(maximumSize: 20_000), store: store)
        for user in 0..<100 { _ = bounded.configuration(forUserID: "\(user)")["Home"] }
        #expect(bounded.users.kept.size <= 20_000)
        #expect((2...10).contains(bounded.users.kept.count))
        // Releasing a user subtracts what was added for it.
        let nothing = Self.config(limits: UserCacheLimits(maximumCount: 0), store: store)
        for user in 0..<100 { _ = nothing.configuration(forUserID: "\(user)")["Home"] }
        #expect(nothing.users.kept == (0, 0))
    }

    @Test func thePoolDoesNotGrowForEver() throws {
        let pool = SectionPool()
        var layers = ConfigurationLayers()
        layers.defaults = ["Home": ["extra": 1]]
        for value in 0..<10_000 {
            let document = try Self.document(value)
            _ = pool.shared(try #require(document.sections["Home"]))
            _ = pool.applied(layers, to: document.sections)
        }
        #expect(pool.count <= 130)
    }

    /// 8 tasks read 100 users; at most 10 users are kept.
    @Test func tasksAtOnceReadTheirOwnUsers() async throws {
        let store = InMemoryStore()
        for user in 0..<100 {
            store.persistConfiguration(try Self.document(user), forUserID: "\(user)")
        }
        let config = Self.config(limits: UserCacheLimits(maximumCount: 10), store: store)
        let wrong = Locked(0)
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for turn in 0..<5_000 {
                        let user = (turn &* 7 &+ task) % 100
                        let handle = config.configuration(forUserID: "\(user)")
                        if handle["Home"]?.integer(forKey: "number") != user {
                            wrong.withLock { $0 += 1 }
                        }
                    }
                }
            }
        }
        #expect(wrong.withLock { $0 } == 0)
        #expect(config.users.table.kept.count == 10)
    }
}
