import ActiveConfig
import ActiveConfigTesting
import Testing

/// Checks of the original's suite for its coordinator.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct OriginalCoordinatorTests {
    private static let some = ConfigurationState.make(
        sections: ["SectionName": ["SomeConfig": "SomeValue"]])
    private static let section = ActiveConfigSection.make(["SomeConfig": "SomeValue"])
    private static let other = ConfigurationState.make(
        sections: ["SomeOtherKey": ["SomeConfig": "SomeValue"]])

    /// Coordinator that starts with a bootstrap and downloads the configurations one after the
    /// other.
    private func make(
        from bootstrap: ConfigurationState? = nil, downloading answers: ConfigurationState...
    ) -> CoordinatorFixture {
        .make(
            ScriptedDownloader { .configuration(answers[$0.number - 1]) },
            store: InMemoryStore(bootstrap: bootstrap.map { .state($0) }))
    }

    @Test func theCoordinatorWorksWithoutAStore() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.configuration(Self.some)), store: nil)
        #expect(fixture.config["SectionName"] == nil)
        try await fixture.config.downloadNewConfig()
        #expect(fixture.config["SectionName"] == Self.section)
    }

    @Test func aNewConfigurationTriggersNotifyingTheListeners() async throws {
        let fixture = make(downloading: Self.some)
        let listener = fixture.listener("SectionName") { config, _ in
            #expect(config === fixture.config)
        }
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(listener.deliveries == [.init("SectionName", Self.section)])
    }

    @Test func aRemovedListenerReceivesNoChange() async throws {
        let fixture = make(downloading: Self.some)
        let listener = fixture.listener("SectionName")
        fixture.config.removeListener(listener, forSectionName: "SectionName")
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(listener.deliveries.isEmpty)
    }

    @Test func listenersAreNotNotifiedOfTheSameConfiguration() async throws {
        let fixture = make(downloading: Self.some, Self.some)
        let listener = fixture.listener("SectionName")
        try await fixture.config.downloadNewConfig()
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(listener.sections == [Self.section])
    }

    @Test func theCoordinatorReadsFromTheStoreAtStart() {
        let fixture = make(from: Self.some)
        #expect(fixture.config.currentConfiguration.sections == Self.some.sections)
    }

    @Test func aListenerGetsTheSectionOnRegistering() {
        let fixture = make(from: Self.some)
        let listener = fixture.listener("SectionName")
        fixture.drain()
        #expect(listener.deliveries == [.init("SectionName", Self.section)])
    }

    @Test func aListenerGetsNothingOnRegisteringWithoutASection() async throws {
        let stored = make(from: Self.other)
        let storedListener = stored.listener("SectionName")
        stored.drain()
        #expect(storedListener.deliveries.isEmpty)

        let downloaded = make(downloading: Self.other)
        try await downloaded.config.downloadNewConfig()
        let downloadedListener = downloaded.listener("SectionName")
        downloaded.drain()
        #expect(downloadedListener.deliveries.isEmpty)
    }

    @Test func aListenerIsNotNotifiedWhenAnotherSectionChanges() async throws {
        var changed = Self.some
        changed.sections["SomeOtherKey"] = .make(["SomeConfig": "AnotherValue"])
        var stored = changed
        stored.sections["SomeOtherKey"] = .make(["SomeConfig": "SomeValue"])
        let fixture = make(from: stored, downloading: changed)
        let listener = fixture.listener("SectionName")
        let otherListener = fixture.listener("SomeOtherKey")
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(listener.sections == [Self.section])
        #expect(otherListener.sections.count == 2)
    }

    @Test func aListenerIsNotifiedWhenItsSectionIsNew() async throws {
        var both = Self.other
        both.sections["SectionName"] = Self.section
        let fixture = make(downloading: Self.other, both)
        try await fixture.config.downloadNewConfig()
        let listener = fixture.listener("SectionName")
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(listener.sections == [Self.section])
    }

    @Test func aListenerIsNotNotifiedOfEqualValuesInANewDocument() async throws {
        let copy = try ConfigurationState(jsonData: Self.some.jsonData())
        let fixture = make(downloading: Self.some, copy)
        try await fixture.config.downloadNewConfig()
        let listener = fixture.listener("SectionName")
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(listener.sections == [Self.section])
    }

    @Test func aListenerIsNotifiedOnceWhenItsSectionGoesAway() async throws {
        let fixture = make(downloading: Self.some, Self.other, Self.other)
        try await fixture.config.downloadNewConfig()
        let listener = fixture.listener("SectionName")
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(listener.sections == [Self.section, nil])
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(listener.sections == [Self.section, nil])
    }

    @Test func aNewConfigurationHasPriorityOverTheStoredOne() async throws {
        let stored = ConfigurationState.make(sections: ["SectionName": ["SomeKey1": "SomeValue1"]])
        let new = ConfigurationState.make(sections: ["SectionName": ["SomeKey2": "SomeValue2"]])
        let fixture = make(from: stored, downloading: new)
        let listener = fixture.listener("SectionName")
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(
            listener.sections == [
                .make(["SomeKey1": "SomeValue1"]), .make(["SomeKey2": "SomeValue2"]),
            ])
    }

    @Test func theDownloaderIsAskedForTheCurrentUser() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.configuration(Self.some)), store: nil)
        fixture.config.currentUserID = "1"
        try await fixture.config.downloadNewConfig()
        let requests = try await fixture.downloader.waitForRequests(1)
        #expect(requests.map(\.userID) == ["1"])
    }

    @Test func theDownloadedSettingsAreSet() async throws {
        let document = ConfigurationState.make(
            sections: ["ConfigKey": ["SomeConfig": "SomeValue"]])
        let fixture = make(downloading: document)
        fixture.config.currentUserID = "1"
        try await fixture.config.downloadNewConfig()
        #expect(fixture.config.currentConfiguration.sections == document.sections)
    }

    @Test func theFirstDownloadIsAnnouncedOnce() async throws {
        let fixture = make(downloading: Self.some, Self.other)
        fixture.config.currentUserID = "1"
        let recorder = NotificationRecorder(of: fixture.config, in: fixture.center)
        try await fixture.config.downloadNewConfig()
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        let first = ActiveConfig.firstDownloadFinishedNotification
        #expect(recorder.entries(named: first).count == 1)
    }

    @Test func aSectionThatIsNoObjectIsASectionWithoutSettings() async throws {
        let document = try ConfigurationState(
            dictionary: [
                "meta": ["format_version_string": "1.0"],
                "config_sections": ["ConfigKey": "ConfigValue"],
            ])
        let fixture = make(downloading: document)
        try await fixture.config.downloadNewConfig()
        #expect(fixture.config["ConfigKey"] == ActiveConfigSection())
    }

    @Test func askingForASectionWorks() async throws {
        let fixture = make(
            from: .make(sections: ["SectionName": ["someKey": "SomeValue"]]))
        let section = try #require(fixture.config.configSection(named: "SectionName"))
        #expect(section.string(forKey: "someKey") == "SomeValue")
    }

    @Test func askingForASectionThatIsNotThereGivesNil() {
        let fixture = make(from: .make(sections: [:]))
        #expect(fixture.config.configSection(named: "SectionName") == nil)
    }
}
