import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Reads of scalars from the cache.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ScalarReadTests {
    private static let isOn = SettingKey("Home", "isOn", default: false)
    private static let columns = SettingKey("Home", "columns", default: -1)
    private static let ratio = SettingKey("Home", "ratio", default: -1.0)
    private static let share = SettingKey("Home", "share", default: Float(-1))
    private static let wrong = SettingKey("Home", "title", default: 7)

    @Test func scalarsAreReadWhileTheStateIsLocked() {
        let config = ActiveConfig.make(
            configuration: .make(
                sections: [
                    "Home": [
                        "isOn": true, "columns": .integer(.min), "ratio": -0.5, "share": 0.1,
                        "title": "x",
                    ]
                ]))
        @Sendable func value<Value>(_ key: SettingKey<Value>, in settings: some SettingsReading)
            -> Value
        {
            settings[key]
        }
        @Sendable func read() -> Bool {
            value(Self.isOn, in: config) && value(Self.columns, in: config) == .min
                && value(Self.ratio, in: config) == -0.5 && value(Self.share, in: config) == 0.1
                && config[Self.isOn] && config[Self.columns] == .min && config[Self.ratio] == -0.5
                && config[Self.share] == 0.1 && config[Self.wrong] == 7
        }
        #expect(read())
        let isRead = DispatchSemaphore(value: 0)
        config.front.blockingReaders {
            Thread.detachNewThread { if read() { isRead.signal() } }
            // Only a read that waits for the lock takes this long.
            #expect(isRead.wait(timeout: .now() + 60) == .success)
        }
    }

    @Test func negativeZeroAndItsSignAreRead() {
        let config = ActiveConfig.make(
            configuration: .make(sections: ["Home": ["ratio": -0.0, "share": -0.0]]))
        for _ in 0..<2 {
            #expect(config[Self.ratio] == 0 && config[Self.ratio].sign == .minus)
            #expect(config[Self.share] == 0 && config[Self.share].sign == .minus)
        }
    }

    @Test func aScalarFollowsDownloadsUsersDefaultsAndOverrides() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader {
                $0.number == 3
                    ? .unchanged
                    : .configuration(
                        .make(sections: ["Home": ["columns": .integer($0.number)]]))
            }, overrides: .settable)
        let config = fixture.config
        var seen = [config[Self.columns]]
        try await config.downloadNewConfig()
        seen.append(config[Self.columns])
        config.currentUserID = "A"
        try await config.downloadNewConfig()
        seen.append(config[Self.columns])
        try await config.downloadNewConfig()
        seen.append(config[Self.columns])
        config.currentUserID = nil
        seen.append(config[Self.columns])
        config.overrides.set(10, for: SettingPath("Home", "columns"))
        seen.append(config[Self.columns])
        config.overrides.removeAll()
        seen.append(config[Self.columns])
        config.setDefaults(["Home": ["ratio": 0.5]])
        #expect(seen == [-1, 1, 2, 2, 1, 10, 1])
        #expect(config[Self.ratio] == 0.5)
    }

    /// A cache that outlives its coordinator, or a coordinator that outlives its cache, would crash
    /// here.
    @Test func aCoordinatorIsReleasedWhileItIsRead() async throws {
        _ = try await Threads.run(4) { _ in
            for _ in 0..<500 {
                let config = ActiveConfig.make(
                    configuration: .make(sections: ["Home": ["columns": 5]]))
                #expect(config[Self.columns] == 5 && config[Self.columns] == 5)
            }
        }
    }
}
