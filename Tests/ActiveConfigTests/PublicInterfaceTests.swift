import ActiveConfig
import ActiveConfigTrust
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Names and types that apps compile against, and that therefore must not change.
struct PublicInterfaceTests {
    @Test func valuesSectionsAndConfigurationsHaveTheirMembers() throws {
        let values: [SettingValue] = [nil, true, 1, 1.5, "text", ["a"], ["key": 1]]
        #expect(
            values == [
                .null, .bool(true), .integer(1), .double(1.5), .string("text"),
                .array([.string("a")]), .object(["key": .integer(1)]),
            ])
        typealias Section = ActiveConfigSection
        let _: (Section) -> (String) -> SettingValue? = Section.value(forKey:)
        let _: (Section) -> (String) -> String? = Section.string(forKey:)
        let _: (Section) -> (String) -> Bool? = Section.bool(forKey:)
        let _: (Section) -> (String) -> Int? = Section.integer(forKey:)
        let _: (Section) -> (String) -> Double? = Section.double(forKey:)
        let _: (Section) -> (String) -> Float? = Section.float(forKey:)
        let _: (Section) -> (String) -> [SettingValue]? = Section.array(forKey:)
        let _: (Section) -> (String) -> [String]? = Section.stringArray(forKey:)
        let _: (Section) -> (String) -> [String: SettingValue]? = Section.dictionary(forKey:)
        let _: (Section) -> (String) -> URL? = Section.url(forKey:)
        let section = Section(settings: ["b": 1, "a": 2])
        #expect(section.settingKeys == ["a", "b"])
        #expect(try section.decode([String: Int].self) == ["a": 2, "b": 1])
        #expect(try section.decode(Int.self, forKey: "a") == 2)
        var state = ConfigurationState()
        #expect(state.formatVersion == "1.0")
        #expect(!state.creationTime.isEmpty)
        state.meta["x"] = 1
        state.sections["S"] = section
        state.entityTag = "t"
        #expect(state.sectionNames == ["S"])
        #expect(state.section(named: "S") == section)
        let read: (Data) throws(ConfigurationFormatError) -> ConfigurationState =
            ConfigurationState.init(jsonData:)
        #expect(try read(state.jsonData()) == state)
        let _: ([String: Any]) throws(ConfigurationFormatError) -> ConfigurationState =
            ConfigurationState.init(dictionary:)
        let _: ([String: SettingValue], [String: Section]) -> ConfigurationState =
            ConfigurationState.init(meta:sections:)
    }

    @Test func storesAndDownloadersAreMadeAsTheyAreInApps() throws {
        let bootstrap = BootstrapConfiguration.state(ConfigurationState())
        let stores: [any ActiveConfigStore] = [
            InMemoryStore(), InMemoryStore(bootstrap: bootstrap),
            FileDefaultsStore(directory: URL(filePath: "/nowhere")), try FileDefaultsStore(),
            try FileDefaultsStore(bootstrap: .resource("InitialActiveConfig")),
            FileDefaultsStore(
                directory: URL(filePath: "/nowhere"),
                bootstrap: .jsonFile(URL(filePath: "/nowhere"))),
            UserDefaultsStore(), UserDefaultsStore(userDefaults: .standard, bootstrap: bootstrap),
        ]
        #expect(stores.count == 8)
        let url = try #require(URL(string: "http://127.0.0.1:1"))
        let createRequest: @Sendable (String?) -> URLRequest = { _ in URLRequest(url: url) }
        let _: any ActiveConfigDownloader = JSONURLDownloader(createRequest: createRequest)
    }

    @Test func appsCreateTheValuesThatTheirClosuresAreGiven() {
        let context = JSONURLDownloader.RequestContext(
            userID: "1", signals: ["app.version": "2.4"], entityTag: "v1", templateVersion: 1)
        #expect(
            context
                == .init(
                    userID: "1", signals: ["app.version": "2.4"], entityTag: "v1",
                    templateVersion: 1))
        #expect(context != .init(userID: "1"))
        let verdict = CrashGuardVerdict(
            userID: "1", templateVersion: 8, crashCount: 3, replacement: .previous,
            keptTemplateVersion: 7)
        #expect(verdict.description.contains("the previous (version 7) is."))
        #expect(SignatureError(.expired, userID: "1", keyID: "a").keyID == "a")
        let document = ConfigurationReport.Document(source: .downloaded, templateVersion: 8)
        let explanation = SettingExplanation(
            SettingPath("Home", "columns"), layers: [.init(source: .downloaded, value: 3)],
            document: document, pending: .init(value: 4))
        #expect(explanation.description.contains("waiting for activation: 4"))
        let report = ConfigurationReport(
            userID: nil, document: document, settings: [explanation])
        #expect(report.settings.map(\.value) == [3])
    }

    @Test func theCoordinatorHasItsMembersAndNames() throws {
        let url = try #require(URL(string: "http://127.0.0.1:1"))
        let downloader = JSONURLDownloader(createRequest: { _ in URLRequest(url: url) })
        let config = ActiveConfig(configDownloader: downloader)
        let _: ActiveConfig = ActiveConfig(
            configDownloader: downloader, configStore: InMemoryStore(),
            notificationCenter: NotificationCenter(), listenerQueue: .main)
        let _: ActiveConfig = ActiveConfig(
            configDownloader: downloader,
            options: ActiveConfigOptions(downloadTimeout: .seconds(60), log: .disabled))
        config.currentUserID = "1"
        let _: String? = config.currentUserID
        let _: any ActiveConfigDownloader = config.configDownloader
        let _: (any ActiveConfigStore)? = config.configStore
        let _: Bool = config.firstConfigDownloadFinished
        let _: ConfigurationState = config.currentConfiguration
        let _: [String: SettingValue] = config.currentConfigurationMetaDictionary
        #expect(config.configSection(named: "S") == nil)
        #expect(config["S"]?.bool(forKey: "x") == nil)
        let _: (any ActiveConfigListener, String) -> Void =
            config.registerListener(_:forSectionName:)
        let _: (any ActiveConfigListener, String) -> Void =
            config.removeListener(_:forSectionName:)
        let _: () async throws -> DownloadResult = config.downloadNewConfig
        #expect(
            [
                ActiveConfig.firstDownloadFinishedNotification.rawValue,
                ActiveConfig.downloadUpdateFinishedNotification.rawValue,
                ActiveConfig.downloadFailedNotification.rawValue,
                ActiveConfig.sectionDidChangeNotification.rawValue,
            ] == [
                "ActiveConfigFirstDownloadFinishedNotification",
                "ActiveConfigDownloadUpdateFinishedNotification",
                "ActiveConfigDownloadFailedNotification",
                "ActiveConfigSectionDidChangeNotification",
            ])
        typealias Key = ActiveConfig.NotificationKey
        #expect(
            [
                Key.userID, Key.meta, Key.configurationIsCurrent, Key.sectionName, Key.section,
                Key.error,
            ] == ["user_id", "meta", "config_was_set", "section_name", "section", "error"])
    }
}
