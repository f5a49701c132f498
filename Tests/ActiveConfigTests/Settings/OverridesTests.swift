import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Overrides take precedence over all other layers on this device.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct OverridesTests {
    private static let columns = SettingKey("Home", "columns", default: 1)
    private static let title = SettingKey("Home", "title", default: "key")
    private static let theme = SettingKey("Home", "theme", default: Theme.light)

    private static func make(
        then next: [String: ActiveConfigSection]..., store: (any ActiveConfigStore)? = nil,
        overrides: OverridePolicy = .settable
    ) -> CoordinatorFixture {
        .make(
            ScriptedDownloader {
                .configuration(.make(sections: next[$0.number - 1], entityTag: "\($0.number)"))
            }, store: store, overrides: overrides)
    }

    @Test func anOverrideCoversTheDocumentAndTheDefaults() async throws {
        let fixture = Self.make(
            then: ["Home": ["columns": 3, "title": "a"]], ["Home": ["columns": 4]])
        let config = fixture.config
        config.setDefaults(["Home": ["columns": 2]])
        config.overrides.set(10, for: SettingPath("Home", "columns"))
        #expect(config[Self.columns] == 10)
        try await config.downloadNewConfig()
        #expect(config[Self.columns] == 10 && config[Self.title] == "a")
        #expect(config["Home"] == .make(["columns": 10, "title": "a"]))
        #expect(config.overrides.values == ["Home": ["columns": 10]])
        // The document's setting changed, but not the app's.
        #expect(try await config.downloadNewConfig().changedSectionNames == ["Home"])
        config.overrides.remove(Self.columns)
        #expect(config[Self.columns] == 4)
        #expect(config.overrides.values == [:])
    }

    @Test func aDownloadOfAnOverriddenSettingDoesNotNotify() async throws {
        let fixture = Self.make(then: ["Home": ["columns": 3]], ["Home": ["columns": 4]])
        let config = fixture.config
        config.overrides.set(10, for: SettingPath("Home", "columns"))
        let listener = fixture.listener()
        for _ in 1...2 {
            #expect(try await config.downloadNewConfig().changedSectionNames == [])
        }
        fixture.drain()
        #expect(listener.sections == [.make(["columns": 10])])
    }

    @Test func removingAnOverrideRestoresTheLowerValueAndNotifies() async throws {
        let fixture = Self.make(then: ["Home": ["columns": 3]])
        let config = fixture.config
        try await config.downloadNewConfig()
        let listener = fixture.listener()
        fixture.drain()
        let recorder = NotificationRecorder(of: config, in: fixture.center)
        var changes = config.changes(inSection: "Home").makeAsyncIterator()
        _ = await changes.next()
        config.overrides.set(10, for: SettingPath("Home", "columns"))
        #expect(
            await changes.next()
                == SectionChange(
                    sectionName: "Home", old: .make(["columns": 3]), new: .make(["columns": 10]),
                    reason: .overridden))
        config.overrides.remove(SettingPath("Home", "columns"))
        let back = await changes.next()
        #expect(back?.new == .make(["columns": 3]) && back?.reason == .overridden)
        fixture.drain()
        let expected = [3, 10, 3].map { ActiveConfigSection.make(["columns": $0]) }
        #expect(listener.sections == expected)
        #expect(recorder.entries.map(\.section) == Array(expected.dropFirst()))
        #expect(
            recorder.entries.map(\.name)
                == Array(repeating: ActiveConfig.sectionDidChangeNotification, count: 2))
    }

    @Test func anOverrideThatChangesNothingDoesNotNotifyAndForgetsNothing() async throws {
        let fixture = Self.make(then: ["Home": ["columns": 3, "title": 5]])
        let config = fixture.config
        try await config.downloadNewConfig()
        let listener = fixture.listener()
        #expect(config[Self.title] == "key")
        config.overrides.set(3, for: SettingPath("Home", "columns"))
        config.overrides.remove(SettingPath("Home", "none"))
        config.overrides.remove(SettingPath("None", "none"))
        config.overrides.removeAll()
        config.overrides.removeAll()
        fixture.drain()
        #expect(listener.deliveries.count == 1)
        #expect(config.overrides.values == [:])
    }

    @Test func anOverrideCreatesASectionThatNoOtherLayerHas() async throws {
        let fixture = Self.make(then: ["Home": ["columns": 3]])
        let config = fixture.config
        let listener = fixture.listener("New")
        config.overrides.set("x", for: SettingPath("New", "title"))
        #expect(config["New"] == .titled("x"))
        try await config.downloadNewConfig()
        config.overrides.removeAll()
        #expect(config["New"] == nil)
        fixture.drain()
        #expect(listener.sections == [.titled("x"), nil])
    }

    @Test func overridesAreSetByTypedKeys() throws {
        let config = Self.make().config
        try config.overrides.set(10, for: Self.columns)
        try config.overrides.set(.dark, for: Self.theme)
        let timeout = SettingKey("Home", "timeout", default: Duration.zero)
        try config.overrides.set(.milliseconds(1001), for: timeout)
        let limits = SettingKey("Home", "limits", default: Limits(low: 0, high: 0) as Limits?)
        try config.overrides.set(nil, for: limits)
        #expect(config[Self.columns] == 10 && config[Self.theme] == .dark)
        #expect(config[timeout] == .milliseconds(1001))
        #expect(config[limits] == nil)
        #expect(
            config.overrides.values == [
                "Home": ["columns": 10, "theme": "dark", "timeout": 1.001, "limits": nil]
            ])
        #expect(throws: EncodingError.self) {
            try config.overrides.set(.nan, for: SettingKey("Home", "ratio", default: 0.5))
        }
        #expect(config.overrides.values["Home"]?["ratio"] == nil)
    }

    @Test func anOverrideOfAnotherTypeGivesWhatLiesBeneathIt() async throws {
        let fixture = Self.make(then: ["Home": ["columns": 3]])
        let config = fixture.config
        config.setDefaults(["Home": ["columns": 2]])
        try await config.downloadNewConfig()
        config.overrides.set("ten", for: SettingPath("Home", "columns"))
        #expect(config[Self.columns] == 3)
        #expect(config.diagnostics.source(of: Self.columns) == .downloaded)
        #expect(
            config.diagnostics.problems.map(\.reason) == [
                "is the string \"ten\" where an integer is expected"
            ])
    }

    @Test func overridesHoldForEveryUser() throws {
        let store = InMemoryStore()
        for (number, user) in ["A", "B"].enumerated() {
            store.persistConfiguration(
                .make(sections: ["Home": ["columns": .integer(number), "title": .string(user)]]),
                forUserID: user)
        }
        let fixture = Self.make(store: store)
        let config = fixture.config
        config.currentUserID = "A"
        config.overrides.set(10, for: SettingPath("Home", "columns"))
        config.currentUserID = "B"
        #expect(config[Self.columns] == 10 && config[Self.title] == "B")
        config.overrides.removeAll()
        #expect(config[Self.columns] == 1)
    }

    @Test func overridesAreNeverStored() async throws {
        let store = ObservedStore()
        let fixture = Self.make(
            then: ["Home": ["columns": 3]], ["Home": ["columns": 4]], store: store,
            overrides: .from(
                arguments: ["-ActiveConfigOverride", "Home.columns=10"], environment: [:]))
        let config = fixture.config
        #expect(config[Self.columns] == 10)
        try await config.downloadNewConfig()
        config.overrides.set("secret", for: SettingPath("Home", "title"))
        config.currentUserID = "A"
        try await config.downloadNewConfig()
        let documents = [3, 4].map { number in
            ConfigurationState.make(
                sections: ["Home": ["columns": .integer(number)]], entityTag: "\(number - 2)")
        }
        #expect(store.persisted == documents)
        #expect(store.base.ownConfiguration(forUserID: nil) == documents[0])
        #expect(store.base.ownConfiguration(forUserID: "A") == documents[1])
        #expect(config.currentConfiguration == documents[1])
        // Overrides are not sent to the server.
        #expect(
            fixture.downloader.requests.map(\.lastKnown).allSatisfy {
                $0?.section(named: "Home")?["columns"] != 10
            })

        // A new launch without the argument.
        let next = Self.make(store: store.base)
        #expect(next.config[Self.columns] == 3 && next.config[Self.title] == "key")
    }

    @Test func overridesAreRefusedWhereTheyAreNotEnabled() {
        let fixture = Self.make(overrides: .never)
        let config = fixture.config
        config.overrides.set(10, for: SettingPath("Home", "columns"))
        #expect(throws: Never.self) { try config.overrides.set(10, for: Self.columns) }
        #expect(config[Self.columns] == 1)
        #expect(config.overrides.values == [:])
        let warning = """
            The override of 'Home.columns' is refused: overrides are not enabled here.
            """
        #expect(fixture.log.messages(ofLevel: .warning) == [warning, warning])
        // Removing overrides that cannot exist is not logged.
        config.overrides.remove(Self.columns)
        config.overrides.removeAll()
        #expect(fixture.log.messages(ofLevel: .warning).count == 2)
    }

    @Test func overridesOfTheStartAreVisible() {
        let fixture = Self.make(
            overrides: .from(
                arguments: [
                    "-ActiveConfigOverride", "Home.title=password",
                    "-ActiveConfigOverride", "Home.columns=3", "-ActiveConfigOverride", "nothing",
                ], environment: [:]))
        #expect(
            fixture.log.messages(ofLevel: .warning) == [
                "Overridden on this device: Home.columns, Home.title."
            ])
        #expect(
            fixture.log.messages(ofLevel: .error) == [
                "The override \"…=…\", -ActiveConfigOverride number 3, cannot be used: write "
                    + "Section.key=value."
            ])
        #expect(fixture.config.overrides.values == ["Home": ["title": "password", "columns": 3]])
        #expect(
            fixture.config.diagnostics.settings(from: .override).map(\.description) == [
                "Home.columns", "Home.title",
            ])
    }

    @Test func layersSetByThreadsAtOnceAreAllKept() async throws {
        let fixture = Self.make(store: InMemoryStore())
        let config = fixture.config
        let listener = fixture.listener()
        _ = try await Threads.run(8) { thread in
            for turn in 0..<50 {
                config.overrides.set(.integer(turn), for: SettingPath("Home", "\(thread)"))
                if thread == 0 { config.currentUserID = "\(turn % 2)" }
                if thread == 1 { config.setDefaults(["Home": ["defaults": .integer(turn)]]) }
            }
        }
        var expected: [String: SettingValue] = ["defaults": 49]
        for thread in 0..<8 { expected["\(thread)"] = 49 }
        #expect(config["Home"] == .make(expected))
        fixture.drain()
        #expect(listener.sections.last == .make(expected))
        // Each change affects one setting.
        let counts = listener.sections.map { $0?.settingKeys.count ?? 0 }
        #expect(counts == counts.sorted())
    }

    @Test func aCoordinatorOfATestHasNoOverridesOfTheProcess() {
        let config = ActiveConfig.make(store: nil)
        #expect(config.options.overridePolicy.initialOverrides == [:])
        config.overrides.set(10, for: SettingPath("Home", "columns"))
        #expect(config[Self.columns] == 10)
    }

    @Test func aValueThatItsKeyCannotReadIsRefused() throws {
        struct Percentage: SettingConvertible, Codable, Equatable {
            var value: Double
            init(_ value: Double) { self.value = value }
            init?(settingValue: SettingValue) {
                guard let value = settingValue.doubleValue else { return nil }
                self.value = value
            }
        }
        let config = CoordinatorFixture.make(overrides: .settable).config
        let key = SettingKey("Home", "share", default: Percentage(1))
        let error = #expect(throws: EncodingError.self) {
            try config.overrides.set(Percentage(50), for: key)
        }
        #expect("\(try #require(error))".contains("Home.share"))
        #expect(config.overrides.values == [:])
    }
}
