import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

extension SettingKey<Int> {
    fileprivate static let limit = SettingKey("Account", "limit", default: 0)
}

/// The same API for the current user, other users and snapshots.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SettingsReadingTests {
    private struct Account: SettingsSection, Equatable {
        static let sectionName = "Account"
        var limit = -1
    }

    private static func summary(_ settings: some SettingsReading) -> String {
        "\(settings[.limit]) \(settings["Account"]?.integer(forKey: "limit") ?? -1) "
            + "\(settings.section(Account.self).limit) \(settings.snapshot[.limit]) "
            + "\(settings.diagnostics.source(of: .limit))"
    }

    private static func config() -> ActiveConfig {
        .make(
            downloader: ScriptedDownloader { request in
                .configuration(.make(sections: ["Account": ["limit": .integer(request.number)]]))
            })
    }

    @Test func aFunctionReadsWhomeverItIsGiven() async throws {
        let config = Self.config()
        try await config.downloadNewConfig()
        let other = config.configuration(forUserID: "1")
        try await other.download()
        #expect(Self.summary(config) == "1 1 1 1 downloaded")
        #expect(Self.summary(other) == "2 2 2 2 downloaded")
        #expect(Self.summary(other.snapshot) == "2 2 2 2 downloaded")
    }

    @Test func aSnapshotStaysAsItIs() async throws {
        let config = Self.config()
        try await config.downloadNewConfig()
        config.setDefaults(["Account": ["name": "x"]])
        let snapshot = config.snapshot
        config.currentUserID = "1"
        try await config.downloadNewConfig()
        #expect(snapshot[.limit] == 1 && config[.limit] == 2)
        #expect(snapshot.userID == nil && config.snapshot.userID == "1")
        #expect(snapshot.sections == ["Account": ["limit": 1, "name": "x"]])
        #expect(snapshot.document.sections == ["Account": ["limit": 1]])
        #expect(snapshot.pending == nil)
    }

    @Test func aKeyMakesItsSettingASecretForEveryKey() throws {
        let key = SettingKey("SecretAccount", "token", default: "", isSecret: true)
        let other = SettingKey("SecretAccount", "token", default: 0)
        let log = RecordingLog()
        let config = ActiveConfig.make(
            store: InMemoryStore(
                bootstrap: .state(.make(sections: ["SecretAccount": ["token": "hunter2"]]))),
            log: log.log)
        #expect(key.isSecret && other.isSecret && !SettingKey<Int>.limit.isSecret)
        #expect(config[key] == "hunter2" && config[other] == 0)
        #expect(config.diagnostics.explain(key).isMasked)
        var text = "\(config.diagnostics.report()) \(config.diagnostics.problems) \(log.messages)"
        do { try config.overrides.set(Unreadable(), for: .unreadable) } catch { text += "\(error)" }
        #expect(!text.contains("hunter2"))
    }

    @Test func aUserIsChangedAndLoadedByATask() async {
        let store = InMemoryStore()
        for (number, user) in [nil, "1"].enumerated() {
            store.persistConfiguration(
                .make(sections: ["Account": ["limit": .integer(number + 1)]]), forUserID: user)
        }
        let config = ActiveConfig.make(store: store)
        await config.load()
        #expect(config[.limit] == 1)
        await config.setCurrentUser("1")
        #expect(config.currentUserID == "1" && config[.limit] == 2)
        await config.setCurrentUser(nil)
        #expect(config.currentUserID == nil && config[.limit] == 1)
    }
}

/// Encodes a form that it cannot read.
private struct Unreadable: SettingConvertible, Encodable {
    init() {}
    init?(settingValue: SettingValue) { return nil }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode("hunter2")
    }
}

extension SettingKey<Unreadable> {
    fileprivate static let unreadable = SettingKey(
        "SecretAccount", "token", default: Unreadable(), isSecret: true)
}
