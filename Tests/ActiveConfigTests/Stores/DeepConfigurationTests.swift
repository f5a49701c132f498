import ActiveConfig
import Foundation
import Testing

/// Deeply nested configurations in the stores that keep text.
struct DeepConfigurationTests {
    private static func state(
        levels: Int, ofSetting settingLevels: Int = 0
    ) -> ConfigurationState {
        func value(_ levels: Int) -> SettingValue { (0..<levels).reduce(1) { value, _ in [value] } }
        return ConfigurationState(
            meta: ["template_version": value(levels)],
            sections: ["S": ActiveConfigSection(settings: ["k": value(settingLevels)])])
    }

    @Test(arguments: [100, 130, 300, 510])
    func aDeepConfigurationIsReadBackByAnotherStore(levels: Int) throws {
        let folder = TemporaryFolder()
        let state = Self.state(levels: levels, ofSetting: levels - 3)
        let store = FileDefaultsStore(directory: folder.url, bootstrap: nil, log: .disabled)
        try store.persistConfiguration(state, forUserID: "u")
        let other = FileDefaultsStore(directory: folder.url, bootstrap: nil, log: .disabled)
        #expect(other.ownConfiguration(forUserID: "u") == state)
    }

    @Test(arguments: [(511, 0), (0, 508), (1_000, 1_000)])
    func aDeepConfigurationIsRefusedWhenItCouldNotBeReadBack(
        levels: Int, ofSetting settingLevels: Int
    ) throws {
        let folder = TemporaryFolder()
        let store = FileDefaultsStore(directory: folder.url, bootstrap: nil, log: .disabled)
        let before = Self.state(levels: 1)
        try store.persistConfiguration(before, forUserID: "u")
        let deep = Self.state(levels: levels, ofSetting: settingLevels)
        let error = #expect(throws: ConfigurationFormatError.self) {
            try store.persistConfiguration(deep, forUserID: "u")
        }
        #expect(error?.code == .tooDeep)
        #expect(store.ownConfiguration(forUserID: "u") == before)
    }

    @Test func userDefaultsRefuseADeepConfigurationThatCouldNotBeReadBack() throws {
        let suite = UserDefaultsSuite()
        let defaults = try suite.userDefaults()
        let store = UserDefaultsStore(userDefaults: defaults, log: .disabled) { _ in "k" }
        let before = Self.state(levels: 510)
        try store.persistConfiguration(before, forUserID: nil)
        let error = #expect(throws: ConfigurationFormatError.self) {
            try store.persistConfiguration(Self.state(levels: 511), forUserID: nil)
        }
        #expect(error?.code == .tooDeep)
        #expect(store.ownConfiguration(forUserID: nil) == before)
    }
}
