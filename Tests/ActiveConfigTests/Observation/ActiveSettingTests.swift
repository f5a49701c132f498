import ActiveConfig
import ActiveConfigTesting
import Foundation
import Observation
import Testing

/// The property wrapper.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ActiveSettingTests {
    @MainActor
    private final class Model {
        @ActiveSetting private var isOn: Bool
        @ActiveSetting private var title: String

        init(_ config: ActiveConfig) {
            _isOn = ActiveSetting(.isOn, in: config)
            _title = ActiveSetting(.title, in: config)
        }

        var text: String { isOn ? title : "off" }
        var titles: ConfigurationUpdates<String> { $title }
    }

    private struct Plain {
        @ActiveSetting(.columns) var columns
        init(_ config: ActiveConfig) { _columns = ActiveSetting(.columns, in: config) }
    }

    private static func make() -> ActiveConfig {
        .make(
            configuration: .make(
                sections: ["Checkout": ["isOn": true], "Home": ["title": "one", "columns": 5]]))
    }

    @MainActor
    @Test func aModelFollowsItsSettings() async {
        let config = Self.make()
        let model = Model(config)
        #expect(model.text == "one")
        var changes = 0
        withObservationTracking {
            _ = model.text
        } onChange: {
            MainActor.assumeIsolated { changes += 1 }
        }
        config.overrides.set("two", for: SettingPath("Home", "title"))
        await waitUntil { model.text == "two" }
        #expect(changes == 1)
    }

    @Test func plainCodeReadsTheActiveValue() async {
        let config = Self.make()
        await Task { @concurrent in
            let plain = Plain(config)
            #expect(plain.columns == 5)
            config.overrides.set(6, for: SettingPath("Home", "columns"))
            #expect(plain.columns == 6)
        }.value
    }

    @MainActor
    @Test func theProjectedValueIsASequence() async {
        let config = Self.make()
        var titles = Model(config).titles.makeAsyncIterator()
        #expect(await titles.next() == "one")
        config.overrides.set("two", for: SettingPath("Home", "title"))
        #expect(await titles.next() == "two")
    }

    /// No other test uses the shared configuration.
    @MainActor
    @Test func withoutAConfigurationThereIsTheDefaultAndThenTheSharedOne() async {
        let setting = ActiveSetting(.columns)
        #expect(setting.wrappedValue == 2)
        var values = setting.projectedValue.makeAsyncIterator()
        #expect(await values.next() == 2)
        var changes = 0
        withObservationTracking {
            _ = setting.wrappedValue
        } onChange: {
            MainActor.assumeIsolated { changes += 1 }
        }
        let config = Self.make()
        ActiveConfig.shared = config
        defer { ActiveConfig.shared = nil }
        #expect(setting.wrappedValue == 5)
        // Earlier readers observe the shared configuration from now on.
        #expect(changes == 1)
        #expect(await values.next() == 5)
        config.overrides.set(6, for: SettingPath("Home", "columns"))
        #expect(await values.next() == 6)

        // An object that is released with the shared configuration may read `shared`.
        ActiveConfig.shared = .make(downloader: AskingDownloader())
        ActiveConfig.shared = nil
        #expect(setting.wrappedValue == 2)
    }

    private final class AskingDownloader: ActiveConfigDownloader {
        func requestActiveConfig(
            forUserID userID: String?, lastKnown: ConfigurationState?
        ) async throws -> ConfigurationState? { nil }

        deinit { _ = ActiveConfig.shared }
    }

    private struct Home: SettingsSection, Equatable {
        static let sectionName = "Home"
        var columns = 2
        var title = "none"
    }

    @MainActor
    private final class Users {
        @ActiveSetting var home: Home
        @ActiveSetting var columns: Int

        init(_ user: UserConfiguration) {
            _home = ActiveSetting(Home.self, in: user)
            _columns = ActiveSetting(.columns, in: user)
        }
    }

    @MainActor
    @Test func aSectionAndAKeyOfAnotherUserAreFollowed() async throws {
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader { request in
                .configuration(
                    .make(sections: ["Home": ["columns": .integer(request.number), "title": "x"]]))
            })
        let users = Users(config.configuration(forUserID: "1"))
        #expect(users.home == Home() && users.columns == 2)
        var changes = 0
        withObservationTracking {
            _ = users.columns
        } onChange: {
            MainActor.assumeIsolated { changes += 1 }
        }
        try await config.configuration(forUserID: "1").download()
        await waitUntil { users.home == Home(columns: 1, title: "x") }
        #expect(users.columns == 1 && changes == 1)
    }
}
