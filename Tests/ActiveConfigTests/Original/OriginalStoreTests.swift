import ActiveConfig
import ActiveConfigTesting
import Testing

/// Checks of the original's suite for its store.
struct OriginalStoreTests {
    private static let some = ConfigurationState.make(sections: ["SomeKey": ["Key": "SomeValue"]])
    private static let other = ConfigurationState.make(sections: ["SomeKey2": ["Key": "SomeValue2"]]
    )
    private let store = InMemoryStore()
    private let bootstrapped = InMemoryStore(bootstrap: .state(some))

    @Test func theStoreKeepsAConfiguration() {
        store.persistConfiguration(Self.some, forUserID: "1234")
        #expect(store.lastKnownActiveConfiguration(forUserID: "1234") == Self.some)
    }

    @Test func theStoreRemovesAConfigurationByNil() {
        store.persistConfiguration(Self.some, forUserID: "1234")
        store.persistConfiguration(nil, forUserID: "1234")
        #expect(store.lastKnownActiveConfiguration(forUserID: "1234") == nil)
    }

    @Test func theStoreKeepsUsersApart() {
        store.persistConfiguration(Self.some, forUserID: "1234")
        #expect(store.lastKnownActiveConfiguration(forUserID: "999") == nil)
    }

    @Test func theStoreGivesTheInitialConfigurationWhenNothingIsPersisted() {
        #expect(bootstrapped.lastKnownActiveConfiguration(forUserID: "1234") == Self.some)
    }

    @Test func theStoreSharesTheInitialConfigurationAmongUsers() {
        #expect(bootstrapped.lastKnownActiveConfiguration(forUserID: "1") == Self.some)
        #expect(bootstrapped.lastKnownActiveConfiguration(forUserID: "2") == Self.some)
    }

    @Test func aUsersConfigurationOverridesTheInitialOne() {
        bootstrapped.persistConfiguration(Self.other, forUserID: "1234")
        #expect(bootstrapped.lastKnownActiveConfiguration(forUserID: "1234") == Self.other)
    }

    @Test func theGenericUsersConfigurationComesBeforeTheInitialOne() {
        bootstrapped.persistConfiguration(Self.other, forUserID: nil)
        #expect(bootstrapped.lastKnownActiveConfiguration(forUserID: "1234") == Self.other)
    }
}
