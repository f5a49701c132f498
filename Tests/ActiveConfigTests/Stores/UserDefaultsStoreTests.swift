import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// `UserDefaultsStore`, with user defaults of each test's own.
struct UserDefaultsStoreTests {
    private let suite = UserDefaultsSuite()

    private static func document(_ text: String) -> ConfigurationState {
        let section = ActiveConfigSection(settings: ["text": .string(text)])
        return ConfigurationState(meta: [:], sections: ["S": section])
    }

    @Test func theStoreKeepsAConfigurationWithItsEntityTag() throws {
        let defaults = try suite.userDefaults()
        var state = Self.document("a")
        state.entityTag = "\"t\""
        try UserDefaultsStore(userDefaults: defaults).persistConfiguration(state, forUserID: "u")
        let read = UserDefaultsStore(userDefaults: try suite.userDefaults()).ownConfiguration(
            forUserID: "u")
        #expect(read == state)
        #expect(read?.entityTag == "\"t\"")
        let store = UserDefaultsStore(userDefaults: try suite.userDefaults())
        #expect(store.ownEntityTag(forUserID: "u") == "\"t\"")
        #expect(store.ownEntityTag(forUserID: "v") == nil)
    }

    @Test func theStoreUsesTheKeysOfTheApp() throws {
        let defaults = try suite.userDefaults()
        let store = UserDefaultsStore(userDefaults: defaults) { "config-\($0 ?? "nobody")" }
        try store.persistConfiguration(Self.document("a"), forUserID: "u")
        try store.persistConfiguration(Self.document("b"), forUserID: nil)
        #expect(defaults.data(forKey: "config-u") != nil)
        #expect(defaults.data(forKey: "config-nobody") != nil)
    }

    @Test func theStoreNeverShowsAnotherUsersConfigurationUnderASharedKey() throws {
        let defaults = try suite.userDefaults()
        let store = UserDefaultsStore(userDefaults: defaults, log: .disabled) { _ in "one key" }
        var document = Self.document("a")
        document.entityTag = "\"t\""
        try store.persistConfiguration(document, forUserID: "u")
        #expect(store.ownEntityTag(forUserID: "u") == "\"t\"")
        #expect(store.ownEntityTag(forUserID: "v") == nil)
        #expect(store.lastKnownActiveConfiguration(forUserID: "v") == nil)
    }

    @Test func theStorePutsWhatIsDamagedAsideAndUsesTheNextFallback() throws {
        let defaults = try suite.userDefaults()
        let recorder = RecordingLog()
        let store = UserDefaultsStore(
            userDefaults: defaults, bootstrap: .state(Self.document("bootstrap")),
            log: recorder.log,
            createUserDefaultsKey: UserDefaultsStore.defaultKey)
        try store.persistConfiguration(Self.document("a"), forUserID: "u")
        let key = UserDefaultsStore.defaultKey(forUserID: "u")
        defaults.set(Data("garbage".utf8), forKey: key)
        #expect(store.lastKnownActiveConfiguration(forUserID: "u") == Self.document("bootstrap"))
        #expect(defaults.data(forKey: key) == nil)
        #expect(defaults.data(forKey: "\(key).damaged") == Data("garbage".utf8))
        #expect(recorder.messages.count == 1)
        try store.persistConfiguration(nil, forUserID: "u")
        #expect(defaults.data(forKey: "\(key).damaged") == nil)
    }

    @Test func theStoreLeavesARecordOfALaterVersionAlone() throws {
        let defaults = try suite.userDefaults()
        let recorder = RecordingLog()
        let store = UserDefaultsStore(
            userDefaults: defaults, log: recorder.log,
            createUserDefaultsKey: UserDefaultsStore.defaultKey)
        let key = UserDefaultsStore.defaultKey(forUserID: "u")
        let newer = Data("ActiveConfig record 2 of another form".utf8)
        defaults.set(newer, forKey: key)
        #expect(store.ownConfiguration(forUserID: "u") == nil)
        #expect(defaults.data(forKey: key) == newer)
        #expect(defaults.data(forKey: "\(key).damaged") == nil)
        #expect(recorder.messages.map(\.text).allSatisfy { $0.contains("later version") })
        #expect(recorder.messages.count == 1)
        for text in ["a", "b"] {
            try store.persistConfiguration(Self.document(text), forUserID: "u")
            #expect(store.ownConfiguration(forUserID: "u") == Self.document(text))
            #expect(defaults.data(forKey: "\(key).newer") == newer)
        }
        try store.persistConfiguration(nil, forUserID: "u")
        #expect(defaults.data(forKey: "\(key).newer") == nil)
    }

    @Test func theStoreRemembersTheFirstDownloadAndRemovesWithNil() throws {
        let defaults = try suite.userDefaults()
        let store = UserDefaultsStore(userDefaults: defaults)
        #expect(!store.firstDownloadFinished)
        store.recordFirstDownloadFinished()
        #expect(store.firstDownloadFinished)
        try store.persistConfiguration(Self.document("a"), forUserID: "u")
        try store.persistConfiguration(nil, forUserID: "u")
        #expect(store.ownConfiguration(forUserID: "u") == nil)
    }

    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func theStoreKeepsEachWriteOfFourThreadsAndPutsNothingAside() async throws {
        let suite = suite
        let recorder = RecordingLog()
        let lost = try await Threads.run(4) { thread -> [String] in
            let store = UserDefaultsStore(
                userDefaults: try suite.userDefaults(), log: recorder.log,
                createUserDefaultsKey: UserDefaultsStore.defaultKey)
            return try (0..<150).filter { number in
                let document = Self.document("\(number)")
                try store.persistConfiguration(document, forUserID: "user \(thread)")
                return store.ownConfiguration(forUserID: "user \(thread)") != document
            }.map { "\($0) of thread \(thread)" }
        }
        #expect(lost.allSatisfy { $0.isEmpty })
        #expect(recorder.messages.isEmpty)
    }

    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func aReadThatFindsDamageLeavesANewerRecordWhereItIs() async throws {
        let suite = suite
        let key = UserDefaultsStore.defaultKey(forUserID: "u")
        let isDone = Locked(false)
        let lost = try await Threads.run(4) { thread -> [Int] in
            let defaults = try suite.userDefaults()
            let store = UserDefaultsStore(
                userDefaults: defaults, log: .disabled,
                createUserDefaultsKey: UserDefaultsStore.defaultKey)
            guard thread == 0 else {
                while !isDone.withLock({ $0 }) { _ = store.ownConfiguration(forUserID: "u") }
                return []
            }
            defer { isDone.withLock { $0 = true } }
            return try (0..<300).filter { number in
                defaults.set(Data("garbage".utf8), forKey: key)
                let document = Self.document("\(number)")
                try store.persistConfiguration(document, forUserID: "u")
                return store.ownConfiguration(forUserID: "u") != document
            }
        }
        #expect(lost.allSatisfy { $0.isEmpty })
    }
}
