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

    /// The sections in memory of all users but the generic one, each object once: those of the
    /// documents, and those with layers applied.
    private static func tables(of config: ActiveConfig) -> Set<ObjectIdentifier> {
        let snapshots = config.users.table.livingEntries.filter { $0.userID != .generic }
            .compactMap(\.snapshot)
        let sections = snapshots.flatMap {
            Array($0.configuration.sections.values) + $0.sections.entries.map(\.value)
        }
        return Set(sections.map { ObjectIdentifier($0.table) })
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
        // Home and Other of the document, and Home with the defaults.
        #expect(Self.tables(of: config).count == 3)
        #expect(config.users.table.keptCount == 20)
        // Users who are loaded later share as much.
        let other = Self.config(limits: UserCacheLimits(), store: store)
        other.setDefaults(["Home": ["extra": 1]])
        for number in 0..<20 { _ = other.configuration(forUserID: "\(number)")["Home"] }
        #expect(Self.tables(of: other).count == 3)
        #expect(other.users.table.keptCount == 20)
        // So do users who get equal documents of their own.
        for number in 0..<20 {
            let own = try Self.document(9)
            _ = await config.downloads.push(to: UserID("\(number)")) { _ in .apply(own) }
        }
        #expect(
            handles.map { $0["Home"]?.integer(forKey: "number") } == Array(repeating: 9, count: 20))
        #expect(Self.tables(of: config).count == 3)
        #expect(config.users.table.keptCount == 20)
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
        #expect(config.users.table.keptCount == 2)
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
        #expect(config.users.table.keptCount == 1)
        #expect(config.users.table.livingEntries.filter { $0.userID != .generic }.count == 2)
        #expect(handle["Home"]?.integer(forKey: "number") == 7)
        #expect(config.configuration(forUserID: "kept")["Home"]?.integer(forKey: "number") == 7)
        #expect(store.events.filter { $0 == .read("kept") }.count == 1)
    }

    @Test func theCountIsBoundedAndASharedSectionIsInMemoryOnce() throws {
        let store = InMemoryStore()
        for user in 0..<100 {
            store.persistConfiguration(
                try Self.document(user < 50 ? 0 : user), forUserID: "\(user)")
        }
        func load(_ maximumCount: Int) -> ActiveConfig {
            let config = Self.config(
                limits: UserCacheLimits(maximumCount: maximumCount), store: store)
            for user in 0..<100 { _ = config.configuration(forUserID: "\(user)")["Home"] }
            return config
        }
        let all = load(100)
        #expect(all.users.table.keptCount == 100)
        // Other of all users, Home of the first 50, and Home of each of the others.
        #expect(Self.tables(of: all).count == 1 + 1 + 50)
        for maximumCount in [1, 10, 99] {
            let bounded = load(maximumCount)
            #expect(bounded.users.table.keptCount == maximumCount)
            #expect(
                bounded.users.table.livingEntries.filter { $0.userID != .generic }.count
                    == maximumCount)
            #expect(Self.tables(of: bounded).count == min(maximumCount, 51) + 1)
        }
        for maximumCount in [0, -1] {
            let nothing = load(maximumCount)
            #expect(nothing.users.table.keptCount == 0)
            #expect(nothing.users.table.livingEntries.filter { $0.userID != .generic }.isEmpty)
        }
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
        #expect(config.users.table.keptCount == 10)
    }
}
